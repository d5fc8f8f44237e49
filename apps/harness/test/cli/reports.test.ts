import { assert, beforeAll, afterAll, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as KindText from "@webagent/findings/words/KindText"
import { passedText } from "@webagent/findings/words/RunText"
import { call } from "./inProcess.ts"
import { reportIn } from "./lastLine.ts"
import { dataIn } from "../page/pageData.ts"

const example = fileURLToPath(new URL("example.suite.ts", import.meta.url))

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "webagent-reports-"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.concurrent("a run's reports", () => {
  it("are complete for a failed run in a job: every file, the page with its waterfall, an annotation per failing scenario, a summary next to others'", async () => {
    const directory = join(folder, "red")
    const summary = join(folder, "job.md")
    writeFileSync(summary, "what came before\n")
    const { code, stdout } = await call(
      ["run", example, "--tag", "broken", "--tag", "leak", "--report-dir", directory],
      { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary }
    )
    assert.strictEqual(code, 1)
    assert.includeMembers(readdirSync(directory), [
      "events.ndjson",
      "junit.xml",
      "report.html",
      "report.json",
      "summary.md",
      "traces"
    ])
    const page = dataIn(join(directory, "report.html"))
    const report = reportIn(directory)
    assert.deepStrictEqual([page.home, page.start], [basename(directory), `/runs/${basename(directory)}`])
    assert.deepStrictEqual(page.details[0]?.report?.findings, report.findings)
    assert.isAbove(Object.keys(page.traces).length, 0)
    const commands = stdout.split("\n").filter((line) => line.startsWith("::"))
    assert.strictEqual(commands.length, 2)
    const [failed, leaked] = (report.findings ?? []).map((finding) => `${finding.kind._tag} ${KindText.text(finding)}`)
    assert.deepStrictEqual([failed?.split(" ")[0], leaked?.split(" ")[0]], ["Failed", "Leak"])
    for (const [index, place, finding] of [
      [0, ",line=\\d+", failed],
      [1, "", leaked]
    ] as const) {
      const title = `title=example › (?:fails|leaks)%3A ${finding?.split(" ").slice(1).join(" ")}::.`
      assert.match(
        commands[index] ?? "",
        new RegExp(`^::error file=test/cli/example\\.suite\\.ts${place},${title}`, "u")
      )
    }
    assert.include(stdout, `report   ${join(directory, "report.html")}\n`)
    // a link that works beside the page is a dead one on the CI system's site
    const written = readFileSync(join(directory, "summary.md"), "utf8")
    const link = "[report.html](report.html)"
    assert.include(written, link)
    assert.strictEqual(
      readFileSync(summary, "utf8"),
      `what came before\n${written.replace(link, `\`${join(directory, "report.html")}\``)}\n`
    )
  })

  it("are refused before anything runs if events can't be written to the folder", async () => {
    const directory = join(folder, "no-events")
    mkdirSync(join(directory, "events.ndjson"), { recursive: true })
    const { code, stderr, stdout } = await call(["run", example, "--tag", "quick", "--report-dir", directory])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /^The reports cannot be written: .*events\.ndjson is a folder, .+ with --report-dir\.\n$/u)
  })

  it("are written without the page if that can't be written, and the run reports it", async () => {
    const directory = join(folder, "blocked")
    mkdirSync(join(directory, "report.html"), { recursive: true })
    const { code, stderr, stdout } = await call(["run", example, "--tag", "quick", "--report-dir", directory])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^The report cannot be written: .*report\.html is a folder, not a file\.\n$/u)
    assert.include(stdout, `NOT WRITTEN: the reports are incomplete (${passedText(reportIn(directory))})`)
    assert.strictEqual(JSON.parse(readFileSync(join(directory, "report.json"), "utf8")).counts.passed, 1)
    assert.include(readFileSync(join(directory, "junit.xml"), "utf8"), '<testsuites name="webagent-harness" tests="1"')
  })

  it("have no annotations outside a job", async () => {
    const directory = join(folder, "plain")
    const { stdout } = await call([
      "run",
      example,
      "--tag",
      "broken",
      "--report-dir",
      directory,
      "--reporter",
      "console,markdown"
    ])
    assert.notInclude(stdout, "::error")
    assert.deepStrictEqual(
      readdirSync(directory).filter((name) => name.includes(".")),
      ["summary.md"]
    )
  })
})
