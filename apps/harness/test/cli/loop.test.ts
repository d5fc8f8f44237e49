import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll } from "vitest"
import { call } from "./inProcess.ts"
import { shout } from "./lastLine.ts"
import * as SkipText from "@webagent/findings/words/SkipText"

const folder = mkdtempSync(join(tmpdir(), "webagent-loop-"))
afterAll(() => rmSync(folder, { recursive: true }))

const suite = join(folder, "loop.suite.ts")
writeFileSync(
  suite,
  `import { check, scenario, Suite } from "@webagent/scenario"
import * as Random from "effect/Random"
const one = (name: string, ok: () => boolean) => scenario(name, function* () { yield* check.isTrue(ok(), \`the \${name} one\`) })
export default Suite.make("loop", [
  one("first", () => true),
  one("second", () => process.env["LOOP_FAILS"] !== "yes"),
  one("third", () => process.env["LOOP_FAILS"] !== "yes"),
  one("fourth", () => true),
  scenario("by seed", { tags: ["seed"] }, function* () {
    yield* check.isTrue((yield* Random.next) < 0.7, "it holds")
  })
])
`
)

/** Runs the suite while it fails or not. */
const during = async (fails: boolean, ...args: ReadonlyArray<string>) => {
  process.env["LOOP_FAILS"] = fails ? "yes" : "no"
  return call(["run", suite, "--concurrency", "1", ...args])
}
const titles = (stdout: string) => [...stdout.matchAll(/^ {2}✗ loop › (\w+)/gmu)].map(([, name]) => name)

describe("run during development", () => {
  it("--last-failed runs the failed scenarios of the newest report", async () => {
    const reports = ["--report-dir", join(folder, "last"), "--reporter", "console,json"]
    const whole = await during(true, ...reports)
    assert.includeMembers(titles(whole.stdout), ["second", "third"])
    const again = await during(false, ...reports, "--last-failed", "--seed", "2")
    assert.match(again.stdout, /\n {2}loop +[23]\/[23] /u)
    assert.strictEqual(again.code, 0, again.stdout)
    const none = await during(false, ...reports, "--last-failed")
    assert.deepStrictEqual(
      [none.code, none.stderr],
      [2, `No scenario failed in ${join(folder, "last", "report.json")}. Run without --last-failed.\n`]
    )
    const missing = await during(false, "--last-failed", "--report-dir", join(folder, "missing"))
    assert.strictEqual(missing.code, 2)
    assert.match(
      missing.stderr,
      /^There is no report \S+missing\. Name the folder of a run, or no folder for the newest run\.\n$/u
    )
  })

  it("--bail starts nothing after the given number of failed scenarios", async () => {
    const one = await during(true, "--bail", "1", "--reporter", "console", "--trials", "1")
    assert.deepStrictEqual([one.code, titles(one.stdout)], [1, ["second"]])
    assert.include(one.stdout, SkipText.text({ _tag: "Bail", failures: 1 }))
    assert.deepStrictEqual(titles((await during(true, "--bail", "--reporter", "console")).stdout), ["second"])
    assert.deepStrictEqual(titles((await during(true, "-x", "--reporter", "console")).stdout), ["second"])
    assert.deepStrictEqual(titles((await during(true, "-x1", "-g=second", "--reporter", "console")).stdout), ["second"])
    const two = await during(true, "--bail", "2", "--reporter", "console", "--trials", "1")
    assert.deepStrictEqual(titles(two.stdout), ["second", "third"])
    assert.include((await during(true, "--bail", "0")).stderr, "1 or more")
  })

  it("--repeat-until-failure runs with the next seed until one fails", async () => {
    const { code, stdout } = await during(false, "--repeat-until-failure", "--tag", "seed", "--reporter", "console")
    const seeds = [...stdout.matchAll(/ · seed (\d+) · /gu)].map(([, seed]) => Number(seed))
    assert.strictEqual(code, 1)
    assert.deepStrictEqual(
      seeds,
      seeds.map((_, index) => index + 1)
    )
    assert.strictEqual(stdout.split(`\n${shout("passed")}`).length - 1, seeds.length - 1)
    assert.strictEqual(stdout.split(`\n${shout("failed")}`).length, 2)
    assert.match(stdout, new RegExp(`replay .*--seed ${seeds.at(-1)}\\n`, "u"))
  })
})

describe("show-report", () => {
  it("prints the address of a page, and one line for a missing one", async () => {
    const report = join(folder, "page")
    mkdirSync(report)
    writeFileSync(join(report, "report.html"), "")
    const here = relative(process.cwd(), report)
    const { code, stdout } = await call(["show-report", here])
    assert.deepStrictEqual([code, stdout], [0, `${pathToFileURL(join(report, "report.html")).href}\n`])
    const missing = await call(["show-report", folder])
    assert.deepStrictEqual(
      [missing.code, missing.stderr],
      [2, `${folder} has no report.html. Name the folder of a run, or no folder for the newest run.\n`]
    )
    const nothing = await call(["show-report", "nosuch"])
    assert.deepStrictEqual(
      [nothing.code, nothing.stderr],
      [2, "There is no report nosuch. Name the folder of a run, or no folder for the newest run.\n"]
    )
  })
})
