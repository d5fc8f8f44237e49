import { assert, describe, expect, it } from "@effect/vitest"
import * as Outage from "@webagent/report/Outage"
import { ofSeverity, statusOf } from "@webagent/report/Finding"
import type { Comparison } from "@webagent/report/Comparison"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { errorsOf, findingsOf } from "../../src/Findings.ts"
import { describe as describeFinding } from "../../src/words/FindingText.ts"
import * as RunText from "../../src/words/RunText.ts"
import { reportOf, resultOf, trialOf } from "../reports.ts"

const at = (time: string) => `2026-11-24T${time}.000Z`
const outage = (from: string, to: string | null): Outage.Outage => ({
  from: at(from),
  to: to === null ? null : at(to),
  why: "connection refused"
})

const passed = [resultOf("a", [trialOf()]), resultOf("b", [trialOf()])]
const refused = { kind: "error", message: "connection refused" } as const
const infra = resultOf("c", [trialOf({ verdict: "infra", failure: refused })])
/** A run that began when the outage did. */
const during = (results: ReadonlyArray<ScenarioResult>, change: Partial<RunReport> = {}): RunReport => {
  const report = reportOf(results, { outages: [outage("02:10:07", "02:31:40")], ...change })
  return { ...report, header: { ...report.header, startedAt: at("02:10:07") } }
}
const minute = 60_000

/** The words about a run: its title, its last line, and the evidence of its errors. */
const wordsOf = (report: RunReport) => [
  RunText.titleOf(report),
  RunText.lastLineOf(report),
  ...errorsOf(report).map((finding) => describeFinding(finding).evidence)
]

describe("an outage", () => {
  it("of a minute or more fails the run, and is the first problem", () => {
    const report = during([...passed, infra])
    const alone = reportOf(passed, { outages: [outage("02:10:07", "02:31:40")] })
    assert.strictEqual(statusOf(findingsOf(alone)), "failed")
    expect([wordsOf(report), wordsOf(alone)]).toMatchSnapshot("words")
  })

  /** The findings of a run: their kinds and the names of their scenarios. */
  const errorsIn = (report: RunReport) =>
    errorsOf(report).map(({ kind, scenarios }) => [kind._tag, ...scenarios.map(({ name }) => name)])

  it("is one finding with the scenarios that it interrupted", () => {
    const report = during([...passed, infra, { ...infra, name: "d" }])
    assert.deepStrictEqual(errorsIn(report), [["ServiceAway", "c", "d"]])
    const [finding] = errorsOf(report)
    assert.strictEqual(finding?.kind._tag === "ServiceAway" ? finding.kind.toll?.trials : undefined, 2)
    expect([wordsOf(report), finding && describeFinding(finding)]).toMatchSnapshot("words")
  })

  it("is rerun with the run's command, without a webhook whose address isn't stored", () => {
    const report = during([...passed, infra])
    const argsOf = (...args: ReadonlyArray<string>) => {
      const [finding] = errorsOf({ ...report, header: { ...report.header, args } })
      return finding?.kind._tag === "ServiceAway" ? finding.kind.args : undefined
    }
    const hidden = "webhook=https://chat.test/<hidden>"
    assert.deepStrictEqual(argsOf("--record", "--notify", hidden, `--notify=${hidden}`, "--notify", "slack"), [
      "--record",
      "--notify",
      "slack"
    ])
    assert.isUndefined(errorsOf(report).flatMap(({ kind }) => ("args" in kind ? [kind.args] : []))[0])
  })

  it("hides no scored failure, no duration, and no scenario in an expired quarantine", () => {
    const claimed = resultOf("claimed", [trialOf({ verdict: "claimed", failure: refused, started_ms: minute })])
    const slow = resultOf("slow", [trialOf({ started_ms: minute }), trialOf({ started_ms: 30 * minute })])
    const row: Comparison = {
      figure: "duration",
      scenario: { suite: slow.suite, name: slow.name },
      verdict: "regressed",
      isUnusual: false,
      now: null,
      before: null,
      change: 0.7,
      window: 1,
      since: at("02:10:07"),
      nights: 30,
      detectable: null
    }
    const judgement = { verdict: "regressed", nights: 30, passedOver: [], differences: [], rows: [row] } as const
    const quarantine = { owner: "ada", reason: "moves", expires: "2026-11-01", expired: true }
    const all = [...passed, infra, claimed, slow, { ...infra, name: "d", quarantine }]
    assert.sameDeepMembers(errorsIn(during(all, { judgement })), [
      ["ServiceAway", "c"],
      ["Failed", "claimed"],
      ["Regressed", "slow"],
      ["Unreachable", "d"]
    ])
  })

  it("that is shorter is a note in a passed run", () => {
    const report = reportOf(passed, { outages: [outage("02:10:07", "02:10:09")] })
    const findings = findingsOf(report)
    assert.deepStrictEqual(
      [statusOf(findings), ofSeverity(findings, "note").map(({ kind }) => kind._tag)],
      ["passed", ["ServiceAway"]]
    )
    expect(wordsOf(report)).toMatchSnapshot("words")
  })

  it("that continues fails the run only if it is long", () => {
    const report = reportOf(passed, { outages: [outage("02:10:07", "02:10:09"), outage("03:10:07", null)] })
    assert.deepStrictEqual(
      errorsOf(report).map(({ kind }) => kind),
      [{ _tag: "ServiceAway", outage: outage("03:10:07", null), isWholeRun: false }]
    )
    expect(wordsOf(report)).toMatchSnapshot("words")
  })

  it("before the first trial fails the run with its cause, which may be a refused key", () => {
    const why = "https://your.service does not take the API key in WEBAGENT_API_KEY (HTTP 401)"
    const away = { ...outage("02:10:07", null), why }
    const report = { ...reportOf([], { outages: [away] }), results: [] }
    assert.deepStrictEqual(errorsOf(report)[0]?.kind, { _tag: "ServiceAway", outage: away, isWholeRun: true })
    expect(wordsOf(report)).toMatchSnapshot("words")
  })

  it("is merged from two shards if it overlaps", () => {
    const [one, other, later] = [
      outage("02:10:07", "02:31:40"),
      outage("02:10:09", "02:31:42"),
      outage("03:00:00", "03:01:00")
    ]
    assert.deepStrictEqual(Outage.together([later, other, one]), [outage("02:10:07", "02:31:42"), later])
    assert.deepStrictEqual(Outage.together([outage("02:10:07", null), later]), [outage("02:10:07", null)])
  })
})
