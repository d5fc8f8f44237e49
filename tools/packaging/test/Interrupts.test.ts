import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const program = fileURLToPath(new URL("programs/interrupted-rehearsal.ts", import.meta.url))

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("an interrupted rehearsal", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stops every process and removes its files (%s)", async (name) => {
    const parent = mkdtempSync(join(tmpdir(), "webagent-interrupts-"))
    try {
      const child = spawn(process.execPath, [program, join(parent, "copy-")], { stdio: ["ignore", "pipe", "inherit"] })
      let printed = ""
      const server = await new Promise<number>((resolve, reject) => {
        child.stdout.setEncoding("utf8").on("data", (text: string) => {
          printed += text
          const [, pid] = /server (\d+)\n/u.exec(printed) ?? []
          if (pid !== undefined) resolve(Number(pid))
        })
        child.on("exit", () => reject(new Error(`it exited: ${printed}`)))
      })
      // npm forwards Ctrl-C, so it arrives twice
      for (const signal of [name, name]) child.kill(signal)
      const [exitCode] = await once(child, "close")
      assert.strictEqual(exitCode, 0, printed)
      assert.include(printed, "interrupted true")
      assert.isFalse(isRunning(server))
      assert.deepStrictEqual(readdirSync(parent), [])
    } finally {
      rmSync(parent, { recursive: true })
    }
  })
})
