import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type Night, withId } from "@webagent/nights/Night"
import * as NightFile from "@webagent/nights/NightFile"
import * as NightText from "@webagent/findings/words/NightText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { evidence } from "@webagent/findings/words/Statistics"
import { statusWords } from "@webagent/findings/words/Title"
import { call } from "./inProcess.ts"
import { lastLineIn, reportIn } from "./lastLine.ts"
import { run } from "./program.ts"
import { dataIn } from "../page/pageData.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-nights-"))
const history = join(folder, "history.ndjson")
const weather = "test/cli/weather.suite.ts"
const few = ["--reporter", "console,json"]
const night = (failing: string, directory: string, ...more: ReadonlyArray<string>) =>
  call(["run", weather, "--history", history, "--report-dir", join(folder, directory), ...few, ...more], {
    FAILING: failing
  })
const nights = (): ReadonlyArray<Night> =>
  Result.getOrThrow(NightFile.parse(readFileSync(history, "utf8"), history)).nights

const titleOf = (night: Night | undefined) =>
  night === undefined ? "" : NightText.titleOf({ ...night, findings: night.findings ?? [] })

/** Six nights like the first, the day before one another. */
beforeAll(async () => {
  const { code, stderr } = await night("0", "first", "--record")
  assert.strictEqual(code, 0, stderr)
  const [first] = nights()
  if (first === undefined) throw new Error("nothing was recorded")
  const { id: _, ...of } = first
  const copies = [1, 2, 3, 4, 5].map((day) => withId({ ...of, startedAt: `2026-01-0${day}T02:00:00.000Z` }))
  writeFileSync(history, copies.map((copy) => `${JSON.stringify(copy)}\n`).join(""), { flag: "a" })
})

afterAll(() => rmSync(folder, { recursive: true }))

describe("nights", () => {
  it("are recorded, judged by earlier ones, shown, compared and accepted", async () => {
    const bad = await night("0.6", "second", "--record")
    assert.strictEqual(bad.code, 1)
    const { findings = [] } = reportIn(join(folder, "second"))
    const [flaky] = findings.filter(({ severity }) => severity === "error")
    const [{ comparison, onset } = {}] = flaky?.scenarios ?? []
    if (comparison === undefined) throw new Error("it is compared with the nights before")
    assert.deepStrictEqual([flaky?.kind._tag, onset?.nights], ["Flaky", 1])
    assert.deepStrictEqual([comparison.before, comparison.nights], [{ _tag: "Rate", passed: 120, scored: 120 }, 6])
    assert.include(bad.stdout, `\n      baseline  ${evidence(comparison)}`)
    assert.include(bad.stdout, `\n${lastLineIn(join(folder, "second"))} · `)
    const last = nights().at(-1)
    assert.strictEqual(last?.report, "second")
    assert.isTrue(last?.regressed?.some(({ scenario }) => scenario?.name === "holds"))

    const shown = await call(["history", "--history", history])
    assert.strictEqual(shown.code, 0)
    assert.include(shown.stdout, `${titleOf(last)}\n`)
    assert.match(shown.stdout, /7 nights · .+ · 0\.00 USD simulated\n$/u)
    const drawn = await call(["history", "--history", history, "--html"])
    const page = join(folder, "history.html")
    assert.deepStrictEqual([drawn.code, drawn.stdout], [0, `nights   ${page}\n`])
    const data = dataIn(page)
    assert.deepStrictEqual([data.nights.nights.length, data.reports[last?.id ?? ""]], [7, "second/report.html"])
    const one = await call(["history", "--history", history, "--scenario", "always"])
    assert.match(one.stdout, /^weather › always holds\n {2}passed {5}20\/20 20\/20/u)

    const judged = await call(["history", "--history", history, "--judge", "--json"])
    const verdict = JSON.parse(judged.stdout)
    assert.deepStrictEqual([judged.code, verdict.night, verdict.status], [1, last?.id, "failed"])
    const regressed = verdict.findings.flatMap(
      ({ kind }: { kind: { comparison?: { scenario: { name: string } | null } } }) =>
        kind.comparison?.scenario?.name === undefined ? [] : [kind.comparison.scenario.name]
    )
    assert.include(regressed, "holds")

    const compared = await call(["compare", "last-1", "last", "--history", history])
    assert.strictEqual(compared.code, 1)
    assert.match(compared.stdout, /\nnewly flaky\n {2}weather › holds: /u)
    const paired = await call(["compare", join(folder, "first"), join(folder, "second"), "--history", history])
    assert.match(paired.stdout, /2 scenarios in both, 40 trials paired by their seed/u)

    const accepted = await call(["history", "accept", last?.id ?? "", "--history", history, "--note", "meant"])
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    const again = await call(["history", "accept", "last", "--history", history, "--scenario", "weather > holds"])
    assert.match(again.stdout, /^Already accepted: "weather > holds" of night /u)
    const after = await night("0.6", "third")
    assert.include(after.stdout, `\n${lastLineIn(join(folder, "third"))} · `)
    const third = reportIn(join(folder, "third"))
    const { nights: spell, since } = third.results.find(({ name }) => name === "holds")?.onset?.trials ?? {}
    assert.deepStrictEqual([spell, since], [2, last?.startedAt])
    const worse = third.findings?.filter(({ severity }) => severity === "error").map(({ kind }) => kind._tag)
    assert.include(["", "Flaky"], worse?.join())
  })

  it("don't fail for a quarantined scenario until that expires", async () => {
    const today = new Date().toISOString().slice(0, 10)
    const dayFrom = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
    const [before, later] = [dayFrom(-5), dayFrom(2)]
    const entry = { suite: "weather", scenario: "holds", owner: "kim", reason: "rain", since: before, expires: later }
    const file = (expires: string) => {
      const path = join(folder, `until-${expires}.json`)
      writeFileSync(path, JSON.stringify({ entries: [{ ...entry, expires }] }))
      return path
    }
    const own = join(folder, "own.ndjson")
    const [q1, recorded] = [join(folder, "q1"), ["--history", own, "--record"]]
    const covered = await call(["run", weather, ...few, "--report-dir", q1, "--quarantine", file(later), ...recorded], {
      FAILING: "0.6"
    })
    assert.strictEqual(covered.code, 0, covered.stdout)
    const shownStatus = async () => {
      assert.strictEqual((await call(["history", "--history", own, "--html"])).code, 0)
      const { isJudged, status } = dataIn(join(folder, "own.html")).nights.nights.at(-1) ?? {}
      return [status, isJudged]
    }
    const [only] = Result.getOrThrow(NightFile.parse(readFileSync(own, "utf8"), own)).nights
    assert.deepStrictEqual(
      [only?.status, only?.findings?.every(({ severity }) => severity === "note")],
      ["passed", true]
    )
    assert.deepStrictEqual(await shownStatus(), ["passed", undefined])
    const { findings: _, scenarios, status: __, ...older } = JSON.parse(readFileSync(own, "utf8"))
    writeFileSync(own, `${JSON.stringify({ ...older, scenarios })}\n`)
    assert.deepStrictEqual(await shownStatus(), ["passed", true])
    const open = scenarios.map((scenario: object) => ({ ...scenario, quarantine: undefined }))
    writeFileSync(own, `${JSON.stringify({ ...older, scenarios: open })}\n`)
    assert.deepStrictEqual(await shownStatus(), ["failed", true])
    const late = await call(
      ["run", weather, ...few, "--report-dir", join(folder, "q2"), "--quarantine", file(before)],
      {
        FAILING: "0"
      }
    )
    assert.strictEqual(late.code, 1)
    const { findings: expired } = reportIn(join(folder, "q2"))
    assert.deepStrictEqual(
      expired?.map(({ kind, severity }) => [kind._tag, severity]),
      [["QuarantineExpired", "error"]]
    )
  })
})

describe("a night whose history can't be written", () => {
  it("does not start, unless it is a shard", async () => {
    const path = join(folder, "dangling.ndjson")
    symlinkSync(join(folder, "missing", "nights.ndjson"), path)
    const args = ["run", weather, "--history", path, "--record", ...few, "--report-dir"]
    const { code, stderr, stdout } = await call([...args, join(folder, "unwritten")])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.strictEqual(
      stderr,
      `--record: the history cannot be written: ${path} does not exist. Name another file with --history.\n`
    )
    const shard = await call([...args, join(folder, "part"), "--shard", "1/2"], { FAILING: "0" })
    assert.strictEqual(shard.code, 0, shard.stderr)
  })

  it("reports it, and can be resumed and recorded", async () => {
    const [directory, path] = [join(folder, "full"), join(folder, "full.ndjson")]
    const args = ["run", "test/cli/spoils.suite.ts", "--trials", "1", "--history", path, "--record"]
    mkdirSync(join(directory, "report.json"), { recursive: true })
    const failed = await call([...args, "--report-dir", directory], { SPOILS: path })
    assert.match(
      failed.stderr,
      /^The report cannot be written: .+report\.json.+\n--record: the history cannot be written: .*full\.ndjson is a folder/u
    )
    assert.strictEqual(failed.code, 2)
    // a run that left no report has no verdict
    assert.notInclude(failed.stdout, statusWords.passed.toUpperCase())
    assert.match(failed.stdout, /\nNOT WRITTEN: the reports are incomplete \(.+\)\n$/u)
    for (const folder of [path, join(directory, "report.json")]) rmSync(folder, { recursive: true })
    const { code, stderr } = await call(["run", "--resume", directory], { SPOILS: join(folder, "elsewhere") })
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(NightFile.parse(readFileSync(path, "utf8"), path).pipe(Result.getOrThrow).nights.length, 1)
    const over = await call(["run", "--resume", directory])
    assert.match(over.stderr, /has ended\. There is nothing to resume/u)
  })
})

it("two runs that are recorded at the same time are two nights with separate report folders", async () => {
  const [path, directory] = [join(folder, "both.ndjson"), join(folder, "shared")]
  const args = ["run", weather, "--trials", "3", "--history", path, "--record", ...few, "--report-dir"]
  const other = join(folder, "other")
  const ended = await Promise.all(
    [directory, directory, other].map((to, seed) => run([...args, to, "--seed", String(seed)], { FAILING: "0" }))
  )
  const codes = ended.map(({ code }) => code)
  // the third has a folder of its own; of the first two, one may begin when the other has ended
  assert.strictEqual(codes[2], 0)
  assert.include(
    [
      [0, 0],
      [0, 2]
    ].map(String),
    String(codes.slice(0, 2).toSorted())
  )
  for (const { code, stderr } of ended) {
    if (code === 2) {
      assert.match(stderr, /^\S+ is where process \d+ reports: choose another folder with --report-dir\.\n$/u)
    }
  }
  const { nights, warnings } = Result.getOrThrow(NightFile.parse(readFileSync(path, "utf8"), path))
  assert.deepStrictEqual([nights.length, warnings], [codes.filter((code) => code === 0).length, []])
})

it("a verdict without nights to compare with says so", async () => {
  const file = join(folder, "first.ndjson")
  writeFileSync(file, `${JSON.stringify(nights()[0])}\n`)
  const judge = (...more: ReadonlyArray<string>) => call(["history", "--history", file, "--judge", ...more])
  const { code, stdout } = await judge()
  const verdict = JSON.parse((await judge("--json")).stdout)
  assert.deepStrictEqual([code, verdict.status, verdict.judgement.nights], [0, "passed", 0])
  assert.isTrue(stdout.endsWith(`\n  ${HistoryLines.uncompared(verdict)}\n`), stdout)
})

it("a night dated in the future is named but not judged, unless there is no other", async () => {
  const file = join(folder, "future.ndjson")
  const [first] = nights()
  if (first === undefined) throw new Error("there is a night")
  const { id: _, ...of } = first
  const future = withId({ ...of, startedAt: "9036-01-01T02:00:00.000Z" })
  const judge = async (...all: ReadonlyArray<Night>) => {
    writeFileSync(file, all.map((one) => `${JSON.stringify(one)}\n`).join(""))
    const { stderr, stdout } = await call(["history", "--history", file, "--judge", "--json"])
    return [JSON.parse(stdout).night, stderr]
  }
  assert.deepStrictEqual(await judge(future, first), [
    first.id,
    `Not judged, because the date is in the future: ${future.id} of 9036-01-01T02:00:00.000Z.\n`
  ])
  assert.deepStrictEqual(await judge(future), [future.id, ""])
})

it("a verdict on the last night covers all its scenarios, and writes no page", async () => {
  for (const more of [["--html"], ["--scenario", "holds"], ["--last", "30"]]) {
    const { code, stderr, stdout } = await call(["history", "--history", history, "--judge", ...more])
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, new RegExp(`^--judge and ${more[0]} cannot be combined: .+ Remove one\\.\n$`, "u"))
  }
})

it("a scenario is accepted by its name, or with its suite's if two have the same name", async () => {
  const file = join(folder, "two.ndjson")
  const named = (suite: string, name: string) => ({ suite, name })
  const [first] = nights()
  if (first === undefined) throw new Error("there is a night")
  const { id: _, ...of } = first
  const worse = [named("shop", "pays"), named("bank", "pays"), named("bank", "lends")].map((scenario) => ({
    figure: "pass rate" as const,
    scenario,
    since: of.startedAt
  }))
  const bad = withId({ ...of, regressed: [...worse, ...worse.map((row) => ({ ...row, figure: "cost" as const }))] })
  writeFileSync(file, `${JSON.stringify(bad)}\n`)
  const accept = (scenario: string) => call(["history", "accept", bad.id, "--history", file, "--scenario", scenario])
  const [both, none] = [await accept("pays"), await accept("sells")]
  assert.deepStrictEqual(
    [both.code, both.stderr, none.code, none.stderr],
    [
      2,
      '"pays" matches 2 scenarios. Use "shop > pays" or "bank > pays".\n',
      2,
      `Scenario "sells" did not regress in night ${bad.id}. These did: "shop > pays", "bank > pays", "bank > lends".\n`
    ]
  )
  const one = await accept("bank > pays")
  assert.strictEqual(
    one.stdout,
    `Accepted: "bank > pays" of night ${bad.id}. The nights before it are no longer its baseline.\n`
  )
  const again = await accept("bank > pays")
  assert.deepStrictEqual(
    [again.code, again.stdout],
    [0, `Already accepted: "bank > pays" of night ${bad.id}. Nothing was changed.\n`]
  )
  assert.deepStrictEqual([(await accept("shop › pays")).code, (await accept("lends")).code], [0, 0])
  const { accepted } = Result.getOrThrow(NightFile.parse(readFileSync(file, "utf8"), file))
  assert.deepStrictEqual(
    accepted.map(({ scenario }) => scenario),
    [named("bank", "pays"), named("shop", "pays"), named("bank", "lends")]
  )
})

describe.concurrent("mistakes about nights", () => {
  const empty = join(folder, "none.ndjson")
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, RegExp]> = [
    ["an unknown night", ["compare", "last", "3f0c", "--history", empty], /has no nights\. Record one with/u],
    [
      "an empty history",
      ["history", "--history", empty],
      /^.+none\.ndjson has no nights\. Record one with .+ run --record, or name another file with --history\.\n$/u
    ],
    [
      "a history that is a folder",
      ["history", "--history", folder],
      /^--history: cannot read .+ is a folder, not a file\.\n$/u
    ],
    [
      "a history that is a device",
      ["run", weather, "--history", "/dev/null", "--record"],
      /^--history: cannot read the history: \/dev\/null is not a regular file\.\n$/u
    ],
    [
      "a regression in a missing history",
      ["history", "accept", "3f0c", "--history", empty],
      /^.+none\.ndjson has no nights\. Record one with .+ run --record, or name another file with --history\.\n$/u
    ],
    [
      "a missing quarantine file",
      ["run", weather, "--quarantine", "no.json"],
      /^--quarantine: no\.json does not exist\.\n$/u
    ]
  ]
  for (const [what, args, sentence] of cases) {
    it(`${what}: one sentence and exit code 2`, async () => {
      const { code, stderr } = await call(args)
      assert.match(stderr, sentence)
      assert.strictEqual(code, 2)
      assert.isFalse(existsSync(empty))
    })
  }
})
