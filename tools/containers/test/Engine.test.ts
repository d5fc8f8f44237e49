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
    const { code, text } = await run(["sh", "-c", "sleep 3600 & echo $!; wait"], { signal: AbortSignal.timeout(500) })
    assert.notStrictEqual(code, 0)
    const pid = Number(text)
    assert.isAbove(pid, 0)
    // the system may still have its number for a moment
    while (isRunning(pid)) await sleep(20)
  })
})
