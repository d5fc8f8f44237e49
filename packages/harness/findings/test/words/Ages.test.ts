import { assert, describe, it } from "@effect/vitest"
import type { Night, NightScenario } from "@webagent/nights/Night"
import * as Onsets from "@webagent/nights/Onsets"
import type { Comparison } from "@webagent/report/Comparison"
import { findingsOf } from "../../src/Findings.ts"
import { age } from "../../src/words/Ages.ts"
import { describe as describeFinding } from "../../src/words/FindingText.ts"
import type { RunReport } from "@webagent/report/RunReport"
import type { Verdict } from "@webagent/report/Verdict"
import { green, trialOf as trial } from "../reports.ts"
import { night, scenario } from "../nights.ts"

const tonight = (verdict: Verdict, change: Partial<RunReport["results"][number]> = {}): RunReport => {
  const [result] = green.results
  if (result === undefined) throw new Error("a green run has a result")
  const its = { ...result, suite: "shop", name: "pays", verdict, trials: [trial()], ...change }
  return {
    ...green,
    header: { ...green.header, startedAt: "2026-02-01T02:00:00.000Z" },
    results: [its]
  }
}

/** A night a day, with what became of the scenario in it: `+` well, `~` flaky, `x` failed, `i` the service was away. */
const nightsOf = (story: string, change: Partial<Omit<Night, "id">> = {}): ReadonlyArray<Night> =>
  Array.from(story, (letter, day) => {
    const passed = letter === "+" ? 5 : letter === "~" ? 3 : 0
    const its: Partial<NightScenario> = letter === "i" ? { verdict: "infra", scored: 0 } : {}
    return night(day, [scenario("pays", passed, its)], change)
  })

const said = (verdict: Verdict, story: string): string | undefined => {
  const onset = Onsets.mark(tonight(verdict), nightsOf(story)).results[0]?.onset?.trials
  return onset && age(onset)
}

describe("the time since a scenario last passed", () => {
  const cases: ReadonlyArray<readonly [Verdict, nights: string, string | undefined]> = [
    ["failed", "+++", "new"],
    ["failed", "+xx", "since 2026-01-02, 3 nights"],
    ["failed", "xx", "since 2026-01-01 or before, 3 nights"],
    ["failed", "x+++", "again after 3 passing nights"],
    ["failed", "x+", "again after 1 passing night"],
    // the service was away: the scenario has no result
    ["failed", "+xixi", "since 2026-01-02, 3 nights"],
    ["failed", "xi+i", "again after 1 passing night"],
    // that it fails in every trial is news of what was flaky
    ["failed", "++~~", "new, flaky in 2 of 4 nights before"],
    ["failed", "~+~", "new, flaky in 2 of 3 nights before"],
    // a passing night says little of what is often flaky
    ["failed", "~~+~~~+", "again after 1 passing night, flaky in 5 of 7 nights before"],
    ["flaky", "~~+~~~+", "again after 1 passing night, flaky in 5 of 7 nights before"],
    ["failed", "~~++++++++", "again after 8 passing nights, flaky in 2 of 10 nights before"],
    ["failed", "~~+++++++++", "again after 9 passing nights"],
    ["failed", "x~+", "again after 1 passing night"],
    ["failed", "+x~", "since 2026-01-02, 3 nights"],
    ["claimed", "+x", "since 2026-01-02, 2 nights"],
    ["flaky", "+x~", "since 2026-01-02, 3 nights"],
    ["flaky", "~++", "again after 2 passing nights"],
    ["infra", "+xx", "new"],
    ["infra", "+ii", "since 2026-01-02, 3 nights"],
    ["infra", "ix", "again after 1 night without it"],
    ["passed", "xxx", undefined],
    ["skipped", "xxx", undefined]
  ]
  for (const [verdict, story, words] of cases) {
    it(`is ${words ?? "omitted"} for ${verdict} after ${story}`, () => {
      assert.strictEqual(said(verdict, story), words)
    })
  }

  it("ignores nights on another target and later ones, and is omitted without nights", () => {
    assert.isUndefined(said("failed", ""))
    const elsewhere = night(0, []).fingerprint
    const other = nightsOf("xx", { fingerprint: { ...elsewhere, target: "https://other.test" } })
    assert.deepStrictEqual(Onsets.mark(tonight("failed"), other), tonight("failed"))
    const later = nightsOf("xx", { startedAt: "2026-03-01T02:00:00.000Z" })
    assert.deepStrictEqual(Onsets.mark(tonight("failed"), later), tonight("failed"))
  })

  it("is new for a scenario that no night has run, with the reason", () => {
    const marked = Onsets.mark(tonight("failed"), [night(0, [scenario("other")])])
    const onset = marked.results[0]?.onset?.trials
    assert.strictEqual(onset && age(onset), "new, no night before has run it")
  })

  it("accepts nights in any order, and replaces earlier marks in a report", () => {
    const marked = Onsets.mark(tonight("failed"), nightsOf("+xx").toReversed())
    assert.strictEqual(marked.results[0]?.onset?.trials?.nights, 3)
    const again = Onsets.mark(marked, nightsOf("+++"))
    assert.strictEqual(again.results[0]?.onset?.trials?.nights, 1)
  })
})

describe("the age of a whole run's problem", () => {
  const lost = { _tag: "Incomplete", why: { _tag: "LostShards", missing: 1, of: 2 } } as const
  const shard = { index: 1, of: 2, startedAt: "", duration_ms: 1, interrupted: false }
  const report: RunReport = { ...tonight("passed"), shards: [shard] }
  /** A night a day, `x` with a lost shard, `s` with some of the scenarios, `?` without stored findings. */
  const nights = (story: string) =>
    Array.from(story, (letter, day) =>
      night(day, [scenario("pays", 5)], {
        ...(letter === "?"
          ? {}
          : { findings: letter === "x" ? [{ kind: lost, severity: "error", scenarios: [] }] : [] }),
        ...(letter === "s" ? { partial: { _tag: "Selection", tags: ["smoke"] } as const } : {})
      })
    )
  const ageAfter = (story: string) => {
    const [finding] = findingsOf(Onsets.mark(report, nights(story)))
    return finding && describeFinding(finding).age
  }

  it("comes from earlier nights' findings for a lost shard, and is omitted without them", () => {
    assert.deepStrictEqual(["++", "+xx", "x+", "+xsx", "xx", "??", ""].map(ageAfter), [
      "new, first seen 2026-02-01",
      "since 2026-01-02, 3 nights",
      "again after 1 night without it",
      "since 2026-01-02, 3 nights",
      "since 2026-01-01 or before, 3 nights",
      undefined,
      undefined
    ])
  })

  it("says that an outage in a run's first minute had begun before", () => {
    const ageFrom = (from: string) => {
      const outages = [{ from, to: "2026-02-01T02:21:33.000Z", why: "HTTP 503" }]
      const [finding] = findingsOf(Onsets.mark({ ...tonight("passed"), outages }, nights("+")))
      return finding && describeFinding(finding).age
    }
    assert.deepStrictEqual(["2026-02-01T02:00:59.000Z", "2026-02-01T02:05:00.000Z"].map(ageFrom), [
      "new, already down when the run started, over at 02:21 UTC",
      "new, over at 02:21 UTC"
    ])
  })

  it("exists for an outage, but not for a run without a problem", () => {
    const outages = [{ from: "2026-02-01T02:00:00.000Z", to: null, why: "HTTP 503" }]
    assert.deepStrictEqual(Object.keys(Onsets.mark({ ...tonight("passed"), outages }, nights("+")).onsets ?? {}), [
      "ServiceAway"
    ])
    assert.isUndefined(Onsets.mark(tonight("passed"), nights("+x")).onsets)
  })
})

it("a broken invariant has its own age, even if the trials pass", () => {
  const breach = {
    invariant: "created-twice",
    facts: { _tag: "Reported", text: "", entries: [] } as const,
    resource: null
  }
  const report = tonight("passed", { trials: [trial({ breaches: [breach] })] })
  const leaking = night(1, [scenario("pays", 5, { leaks: 1 })])
  const { onset } = Onsets.mark(report, [night(0, [scenario("pays")]), leaking]).results[0] ?? {}
  assert.deepStrictEqual(onset, {
    invariants: { since: leaking.startedAt, nights: 2, known: 2 }
  })
})

it("a regression is as old as the nights that reported it", () => {
  const row: Comparison = {
    figure: "duration",
    scenario: { suite: "shop", name: "pays" },
    verdict: "regressed",
    isUnusual: false,
    now: null,
    before: null,
    window: 1,
    since: "2026-02-01T02:00:00.000Z",
    nights: 10,
    detectable: null
  }
  const report = {
    ...tonight("passed"),
    judgement: {
      verdict: "regressed",
      nights: 10,
      passedOver: [],
      differences: [],
      rows: [row, { ...row, verdict: "no evidence" }]
    }
  } as const
  const worse = { regressed: [{ figure: row.figure, scenario: row.scenario, since: "2026-01-02T02:00:00.000Z" }] }
  const past = [
    ...nightsOf("+++"),
    night(4, [scenario("pays")], worse),
    // one that was cut short was not judged like others
    night(5, [scenario("pays")], { partial: { _tag: "Stopped", isShard: false } }),
    night(6, [scenario("pays")], worse)
  ]
  const rows = Onsets.mark(report, past).judgement?.rows ?? []
  assert.deepStrictEqual(
    rows.map(({ onset }) => onset && [onset.since.slice(0, 10), onset.nights]),
    [["2026-01-02", 3], undefined]
  )
})
