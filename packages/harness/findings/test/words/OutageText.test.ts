import { assert, describe, expect, it } from "@effect/vitest"
import * as Outage from "@webagent/report/Outage"
import { ofSeverity, statusOf } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"
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
const infra = resultOf("c", [trialOf({ verdict: "infra", failure: { kind: "error", message: "connection refused" } })])

/** The words about a run: its title, its last line, and the evidence of its errors. */
const wordsOf = (report: RunReport) => [
  RunText.titleOf(report),
  RunText.lastLineOf(report),
  ...errorsOf(report).map((finding) => describeFinding(finding).evidence)
]

describe("an outage", () => {
  it("of a minute or more fails the run, and is the first problem", () => {
    const report = reportOf([...passed, infra], { outages: [outage("02:10:07", "02:31:40")] })
    const [first, second] = errorsOf(report)
    assert.deepStrictEqual(first?.kind, {
      _tag: "ServiceAway",
      outage: outage("02:10:07", "02:31:40"),
      isWholeRun: false
    })
    assert.strictEqual(second?.kind._tag, "Unreachable")
    const alone = reportOf(passed, { outages: [outage("02:10:07", "02:31:40")] })
    assert.strictEqual(statusOf(findingsOf(alone)), "failed")
    expect([wordsOf(report), wordsOf(alone)]).toMatchSnapshot("words")
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

  it("that is not over fails the run, and a short one doesn't", () => {
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

  it("is the same one in two shards where they overlap", () => {
    const [one, other, later] = [
      outage("02:10:07", "02:31:40"),
      outage("02:10:09", "02:31:42"),
      outage("03:00:00", "03:01:00")
    ]
    assert.deepStrictEqual(Outage.together([later, other, one]), [outage("02:10:07", "02:31:42"), later])
    assert.deepStrictEqual(Outage.together([outage("02:10:07", null), later]), [outage("02:10:07", null)])
  })
})
