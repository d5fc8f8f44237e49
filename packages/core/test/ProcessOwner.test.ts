import { assert, describe, it } from "vitest"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { ProcessOwner } from "../src/node.ts"

describe("ProcessOwner", () => {
  const owner = ProcessOwner.current()

  it("is this process, at work", () => {
    assert.match(owner, new RegExp(`^process ${process.pid}( started \\S+)?$`, "u"))
    for (const name of [owner, `process ${process.pid}`, String(process.pid)]) {
      assert.strictEqual(ProcessOwner.atWork(name), process.pid, name)
    }
  })

  it("is no process that has ended, nor what is no process", async () => {
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" })
    await once(child, "exit")
    for (const name of [`process ${child.pid}`, `nightly ${process.pid}`, `process ${process.pid} of yore`, ""]) {
      assert.isUndefined(ProcessOwner.atWork(name), name)
    }
  })

  it.runIf(process.platform === "linux")("is not one that has its id, and was started at another time", () => {
    for (const start of ["00000000-1", owner.replace(/.*-/u, "00000000-"), `${owner.replace(/.* /u, "")}0`]) {
      assert.isUndefined(ProcessOwner.atWork(`process ${process.pid} started ${start}`), start)
    }
  })
})
