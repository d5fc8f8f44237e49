import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { statusWords } from "@webagent/findings/words/Title"
import { call } from "./inProcess.ts"
import { start } from "./program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-watch-"))
afterAll(() => rmSync(folder, { recursive: true }))

const suite = join(folder, "sums.suite.ts")
const part = join(folder, "part.ts")
const sums = `import { check, scenario, Suite } from "@webagent/scenario"
import { two } from "./part.ts"
export default Suite.make("sums", [scenario("adds up", function* () { console.log("adding"); yield* check.equal(1 + 1, two) })])
`

describe.concurrent("run --watch", () => {
  it("runs again when a file that the suite imports changes, and shows the differences", async () => {
    writeFileSync(suite, sums)
    writeFileSync(part, "export const two: number = 3\n")
    const watching = start(["run", suite, "--watch"])
    assert.include(await watching.says(`${statusWords.failed.toUpperCase()}: `), "\nsums › adds up: adding\n")

    writeFileSync(part, "export const two: number = = 2\n")
    const broken = await watching.says("could not be loaded")
    assert.match(
      broken,
      /\n\S+part\.ts changed\n\S+sums\.suite\.ts could not be loaded: \S+part\.ts:1: Expression expected\n/u
    )

    writeFileSync(part, "export const two: number = 2\n")
    const fixed = await watching.says(`${statusWords.passed.toUpperCase()}: `)
    assert.include(fixed, "\n  fixed          sums › adds up\n")
    watching.signal("SIGINT")
    const { code } = await watching.ended
    assert.strictEqual(code, 130)
  })

  it("refuses a call that can't be watched with one sentence and exit code 2", async () => {
    const [none, missing] = await Promise.all([
      call(["run", "versions", "--watch"]),
      call(["run", join(folder, "missing.suite.ts"), "--watch"])
    ])
    assert.deepStrictEqual(
      [none.code, none.stderr],
      [2, "--watch needs suite files, such as checkout.suite.ts. Built-in suites do not change.\n"]
    )
    assert.deepStrictEqual(
      [missing.code, missing.stderr],
      [2, `No file ${join(folder, "missing.suite.ts")}. Correct the path.\n`]
    )
  })
})
