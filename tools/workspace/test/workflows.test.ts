import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { commands, read, root } from "./Workflow.ts"

const key = "wak_nightly"
let address = ""
let stop = () => {}

beforeAll(
  () =>
    new Promise<void>((resolve, reject) => {
      const program = [
        "--conditions=@webagent/source",
        "apps/harness/src/main.ts",
        "serve",
        "--port",
        "0",
        "--api-key",
        key
      ]
      const child = spawn(process.execPath, program, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
      stop = () => void child.kill()
      let printed = ""
      child.stdout.on("data", (chunk: Buffer) => {
        printed += chunk.toString()
        address = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0] ?? ""
        if (address !== "") resolve()
      })
      child.on("exit", () => reject(new Error(`the service ended: ${printed}`)))
    })
)

afterAll(() => stop())

describe("workflows", () => {
  for (const name of ["check", "nightly", "release"]) {
    it(`${name}: actions are pinned by hash, jobs end, and nothing may write that need not`, () => {
      const workflow = read(name)
      assert.deepStrictEqual(workflow.permissions, { contents: "read" })
      for (const job of Object.values(workflow.jobs)) {
        assert.isNumber(job["timeout-minutes"])
        for (const { uses } of job.steps) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/u)
      }
    })
  }

  for (const name of ["check", "nightly"]) {
    // npm test is what runs this
    const steps = (values: Record<string, string>) =>
      commands(read(name), values).filter(({ run }) => run !== "npm test")
    const count = steps({ "vars.WEBAGENT_TARGET": "-", "secrets.WEBAGENT_API_KEY": "-" }).length

    for (let index = 0; index < count; index++) {
      it(`${name}: its run step ${index + 1} works here`, { timeout: 120_000 }, () => {
        const step = steps({ "vars.WEBAGENT_TARGET": address, "secrets.WEBAGENT_API_KEY": key })[index]
        assert.isDefined(step)
        const reports = mkdtempSync(join(tmpdir(), "webagent-workflow-"))
        const { status, stderr, stdout } = spawnSync(
          "bash",
          ["-e", "-c", step?.run.replace(".webagent/nightly", reports) ?? ""],
          {
            cwd: root,
            encoding: "utf8",
            env: { ...process.env, ...step?.env, CI: "true", NO_COLOR: "1" }
          }
        )
        assert.strictEqual(status, 0, `${step?.run}\n${stdout}${stderr}`)
        assert.match(stdout, /\d+ passed/u)
        if (step?.run.includes(".webagent/nightly") === true) {
          assert.includeMembers(readdirSync(reports), ["report.json", "junit.xml"])
        }
        rmSync(reports, { recursive: true })
      })
    }
  }
})
