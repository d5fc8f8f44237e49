import { assert, describe, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Writable } from "node:stream"
import { ProcessOwner } from "../src/node.ts"

describe("ProcessOwner", () => {
  const owner = ProcessOwner.current()

  it("is this process, which is running", () => {
    assert.match(owner, new RegExp(`^process ${process.pid}( started \\S+)?$`, "u"))
    for (const name of [owner, `process ${process.pid}`, String(process.pid)]) {
      assert.strictEqual(ProcessOwner.atWork(name), process.pid, name)
    }
  })

  it("isn't a process that has exited, nor invalid text", async () => {
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" })
    await once(child, "exit")
    for (const name of [
      `process ${child.pid}`,
      `nightly ${process.pid}`,
      `process ${process.pid} of yore`,
      "process 0",
      ""
    ]) {
      assert.isUndefined(ProcessOwner.atWork(name), name)
    }
  })

  it.runIf(process.platform === "linux")("isn't a process that has exited and wasn't reaped", async () => {
    // what becomes cat does not know of the child that its shell has started, which ends with its input
    const parent = spawn("sh", ["-c", "read x <&3 & echo $!; exec cat"], {
      stdio: ["pipe", "pipe", "ignore", "pipe"]
    })
    const stat = (pid: number | undefined) => readFileSync(`/proc/${pid}/stat`, "utf8")
    try {
      const [said] = await once(parent.stdout ?? parent, "data")
      const pid = Number(String(said))
      while (!stat(parent.pid).includes("(cat)")) await new Promise(setImmediate)
      assert.strictEqual(ProcessOwner.atWork(`process ${pid}`), pid)
      const input = parent.stdio[3]
      if (input instanceof Writable) input.end("\n")
      while (!stat(pid).includes(") Z ")) await new Promise(setImmediate)
      assert.isUndefined(ProcessOwner.atWork(`process ${pid}`))
    } finally {
      parent.kill()
    }
  })

  it.runIf(process.platform === "linux")("isn't a process with the same id that was started at another time", () => {
    for (const start of ["00000000-1", owner.replace(/.*-/u, "00000000-"), `${owner.replace(/.* /u, "")}0`]) {
      assert.isUndefined(ProcessOwner.atWork(`process ${process.pid} started ${start}`), start)
    }
  })
})
