import { assert, describe, it } from "@effect/vitest"
import * as Outage from "@webagent/report/Outage"
import { ofSeverity, statusOf } from "@webagent/report/Finding"
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

describe("an outage", () => {
  it("of a minute or more fails the run, and is the first problem and the begin of the title", () => {
    const report = reportOf([...passed, infra], { outages: [outage("02:10:07", "02:31:40")] })
    const [first] = errorsOf(report).map(describeFinding)
    assert.deepStrictEqual(
      [first?.what, first?.evidence],
      ["outage", "the service was unreachable 02:10:07 to 02:31:40 UTC (21 min 33 s): connection refused"]
    )
    assert.strictEqual(RunText.titleOf(report), "service unreachable 02:10 to 02:31 UTC · 1 unreachable scenario")
    assert.match(
      RunText.lastLineOf(report),
      /^FAILED: service unreachable 02:10 to 02:31 UTC, 1 unreachable scenario \(/u
    )
    const alone = reportOf(passed, { outages: [outage("02:10:07", "02:31:40")] })
    assert.strictEqual(RunText.titleOf(alone), "service unreachable 02:10 to 02:31 UTC")
    assert.strictEqual(statusOf(findingsOf(alone)), "failed")
  })

  it("that is shorter is a note in a green run, and in its title", () => {
    const report = reportOf(passed, { outages: [outage("02:10:07", "02:10:09")] })
    const findings = findingsOf(report)
    assert.deepStrictEqual(
      [statusOf(findings), ofSeverity(findings, "note").map(({ kind }) => kind._tag)],
      ["passed", ["ServiceAway"]]
    )
    assert.strictEqual(
      RunText.lastLineOf(report),
      "PASSED: service unreachable 02:10:07 to 02:10:09 UTC · all 2 scenarios passed"
    )
  })

  it("that is not over fails the run, and several are counted", () => {
    const report = reportOf(passed, { outages: [outage("02:10:07", "02:10:09"), outage("03:10:07", null)] })
    assert.strictEqual(RunText.titleOf(report), "service unreachable 2 times, the longest since 03:10 UTC")
    assert.lengthOf(errorsOf(report), 1)
  })

  it("before the first trial fails the run with its cause, which may be a refused key", () => {
    const why = "https://your.service does not take the API key in WEBAGENT_API_KEY (HTTP 401)"
    const report = { ...reportOf([], { outages: [{ ...outage("02:10:07", null), why }] }), results: [] }
    assert.strictEqual(errorsOf(report).map(describeFinding)[0]?.evidence, `no trial could start: ${why}`)
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
