import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { run } from "../src/Engine.ts"

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("run", () => {
  it("returns the output and the exit code", async () => {
    assert.deepStrictEqual(await run(["sh", "-c", "echo problem >&2; exit 3"]), { code: 3, text: "problem\n" })
    assert.strictEqual((await run(["no-such-program"])).code, 127)
  })

  it("stops everything that a program has started when the signal aborts", { timeout: 60_000 }, async () => {
    const file = join(mkdtempSync(join(tmpdir(), "webagent-run-")), "pid")
    const controller = new AbortController()
    const stopped = run(["sh", "-c", `sleep 3600 & echo $! >${file}; wait`], { signal: controller.signal })
    let pid = 0
    while (pid === 0) {
      await sleep(20)
      if (existsSync(file)) pid = Number(readFileSync(file, "utf8"))
    }
    controller.abort()
    assert.notStrictEqual((await stopped).code, 0)
    rmSync(dirname(file), { recursive: true })
    // the system may still have its number for a moment
    while (isRunning(pid)) await sleep(20)
  })
})
