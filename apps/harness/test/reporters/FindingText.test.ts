import { assert, describe, expect, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { errorsOf, warningsOf } from "@webagent/findings/Findings"
import { age } from "@webagent/findings/words/Ages"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import { describe as describeFinding, exampleOf } from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { evidence as evidenceOf } from "@webagent/findings/words/Statistics"
import * as Explanation from "../../src/reporters/Explanation.ts"
import * as GitHubReporter from "../../src/reporters/GitHubReporter.ts"
import * as JUnitReporter from "../../src/reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { plain } from "@webagent/cli/Style"
import { ageOf } from "@webagent/report/Onset"
import { away, dated, green, night, replay, trial } from "./fixture.ts"
import { textOf } from "./words.ts"

const rate = (passed: number, scored: number) => ({ _tag: "Rate", passed, scored }) as const
const duration = (milliseconds: number) => ({ _tag: "Duration", milliseconds }) as const

const row = (figure: Comparison["figure"], name: string | null): Comparison => ({
  figure,
  scenario: name === null ? null : { suite: "checkout", name },
  verdict: "regressed",
  isUnusual: false,
  now: figure === "pass rate" ? rate(2, 5) : duration(4100),
  before: figure === "pass rate" ? rate(19, 20) : duration(2000),
  window: 2,
  since: "2026-11-20T02:00:00.000Z",
  nights: 28,
  detectable: null,
  ...(figure === "pass rate" ? {} : { change: 1.05, relativeChange: 1 })
})

const judgedBy = (...rows: ReadonlyArray<Comparison>) => ({
  ...night,
  judgement: { verdict: "regressed" as const, nights: 28, passedOver: [], differences: [], rows }
})

const findingsIn = (report: typeof night) => errorsOf(report).map(describeFinding)
const unusualIn = (report: typeof night) => warningsOf(report).map(describeFinding)

/** The kinds of errors with their scenarios, or with the figure of a whole run. */
const shown = (report: typeof night) =>
  errorsOf(report).flatMap(({ kind, scenarios }) =>
    scenarios.length === 0
      ? [`${kind._tag} · ${"comparison" in kind ? kind.comparison.figure : ""}`]
      : scenarios.map((one) => `${kind._tag} · ${scenarioTitle(one)}`)
  )

describe("the texts of findings", () => {
  it("have no item for a passed night or a quarantined scenario", () => {
    assert.deepStrictEqual(errorsOf(green), [])
    assert.notInclude(shown(night).join(), "known to fail")
    assert.include(shown(night).join(), "Failed · checkout › known for too long")
  })

  it("put a scenario that fails more often than before ahead of one that only fails", () => {
    const report = judgedBy(row("pass rate", "buys the red mug"), row("duration", "buys the red mug"))
    assert.deepStrictEqual(shown(report).slice(0, 5), [
      "Failed · checkout › pays",
      "Flaky · checkout › buys the red mug",
      "Failed · checkout › known for too long",
      "Leak · v4-browsers › forgets",
      "Regressed · checkout › buys the red mug"
    ])
    const flaky = textOf(report, "Flaky")
    assert.strictEqual(flaky.baseline, evidenceOf(row("pass rate", "buys the red mug")))
    expect(flaky.evidence).toMatchSnapshot("words")
  })

  it("name the scenarios that contributed most to a slower night, in every report", () => {
    const contributors = ["buys the red mug", "pays", "gone", "fourth"].map((name, index) => ({
      suite: "checkout",
      name,
      now: duration(4100),
      before: duration(2000),
      change: 1.05,
      share: 0.4 - index / 10
    }))
    const whole = { ...row("duration", null), scenarios: 8 }
    const report = judgedBy({ ...whole, contributors })
    const finding = findingsIn(report).find(({ contribution }) => contribution !== undefined)
    if (finding === undefined) throw new Error("no finding has contributors")
    const [line = ""] = ContributionText.line(finding.contribution)
    const { contribution } = finding
    assert.deepStrictEqual(
      contribution?.scenarios.map(({ name }) => name),
      ["buys the red mug", "pays", "gone", "fourth"]
    )
    assert.include(
      errorsOf(report).map((one) => exampleOf(one)?.name),
      "buys the red mug"
    )
    const spread = judgedBy({
      ...whole,
      contributors: contributors.slice(2).map((one, index) => ({ ...one, change: 1.05 / (index + 1) }))
    })
    const even = contributors.map((one) => ({ ...one, share: 0.125 }))
    const evenly = judgedBy({ ...row("cost", null), scenarios: 8, contributors: even })
    expect(
      [report, spread, evenly].map((one) =>
        findingsIn(one).flatMap(({ contribution }) => ContributionText.line(contribution))
      )
    ).toMatchSnapshot("words")
    const again = () => "again"
    const explained = Explanation.all(report, { columns: 100, replay: again, style: plain }).join("\n")
    assert.include(explained, `      where     ${line}\n      next      `)
    assert.include(JUnitReporter.render(report, again), `>${line}</failure>`)
    assert.include(MarkdownReporter.render(report, again), `<br>${contribution?.share}: checkout ›`)
    assert.include(GitHubReporter.annotations(report).join(), `%0A${line.replaceAll("%", "%25")}`)
  })

  it("count all scenarios with a similar change, and not only the named ones", () => {
    const of = (
      shares: ReadonlyArray<number>,
      [count, least, greatest]: readonly [count: number, least: number, greatest: number],
      scenarios: number
    ) => {
      const contributors = shares.map((share, index) => ({
        suite: "checkout",
        name: `s${index}`,
        now: duration(4100),
        before: duration(2000),
        change: 0.7,
        share
      }))
      const contributed = { scenarios: count, least, greatest }
      const report = judgedBy({ ...row("duration", null), scenarios, contributors, contributed })
      const [contribution] = findingsIn(report).flatMap((finding) => finding.contribution ?? [])
      return [contribution?.share, contribution?.scenarios.length]
    }
    const shares = [0.3, 0.26, 0.2, 0.12, 0.07]
    assert.deepStrictEqual(of(shares, [6, 0.64, 0.75], 6), ["all 6 scenarios, +64 % to +75 %; for example", 2])
    assert.deepStrictEqual(of(shares, [28, 0.64, 0.75], 30), ["28 of 30 scenarios, +64 % to +75 %; for example", 2])
    assert.deepStrictEqual(of([0.7, 0.3], [2, 1, 1], 2), ["all 2 scenarios, +100 %; for example", 2])
    assert.deepStrictEqual(of([0.7, 0.3], [2, 0.64, 0.75], 30), ["all of it comes from 2 of 30 scenarios", 2])
    // the others, seventy of them, have hardly changed
    assert.deepStrictEqual(of(shares, [41, 0.01, 0.75], 76), ["95 % of it comes from 5 of 76 scenarios", 5])
  })

  it("include regressions of the whole night; a leak has its own finding, whatever earlier nights show", () => {
    assert.include(shown(judgedBy(row("cost", null))), "Regressed · cost")
    assert.notInclude(shown(judgedBy(row("leaked browsers", null))).join(), "Regressed")
    assert.notInclude(shown(judgedBy(row("leaked browsers", "pays"))).join(), "Regressed")
  })
})

describe("warnings", () => {
  const unusual = (figure: Comparison["figure"], name: string | null): Comparison => ({
    ...row(figure, name),
    verdict: "no evidence",
    isUnusual: true
  })
  const rows = [
    unusual("duration", null),
    { ...unusual("cost", "pays"), change: 0.6 },
    { ...unusual("cost", "looks"), change: 0.9 }
  ]
  const slow = evidenceOf(unusual("duration", null))
  const flakier = evidenceOf(unusual("pass rate", "buys the red mug"))
  const report = {
    ...green,
    judgement: { verdict: "no evidence" as const, nights: 28, passedOver: [], differences: [], rows }
  }

  it("are shown per figure, and don't fail the run", () => {
    assert.deepStrictEqual(errorsOf(report), [])
    assert.deepStrictEqual(
      warningsOf(report).map(({ kind, scenarios }) => [
        kind._tag === "Unusual" && kind.comparison.figure,
        scenarios.length
      ]),
      [
        ["duration", 0],
        ["cost", 2]
      ]
    )
    const [whole, several] = unusualIn(report)
    assert.strictEqual(whole?.evidence, slow)
    assert.include(several?.evidence, evidenceOf({ ...unusual("cost", "looks"), change: 0.9 }))
    expect(unusualIn(report).map(({ evidence, place, what }) => [what, place, evidence])).toMatchSnapshot("words")
  })

  it("explain why a scenario is unusually flaky, unless the whole night is", () => {
    const flaky = {
      ...night,
      results: night.results.filter(({ name }) => name === "buys the red mug"),
      judgement: {
        ...report.judgement,
        rows: [unusual("pass rate", null), unusual("pass rate", "buys the red mug")]
      }
    }
    const [finding, ...others] = unusualIn(flaky)
    assert.deepStrictEqual([finding?.place, others], ["checkout › buys the red mug", []])
    assert.include(finding?.evidence, `${flakier}: `)
    assert.match(finding?.evidence ?? "", /: .*expected/u)
  })

  it("distinguish a new flaky scenario from one that used to be better, in every report", () => {
    const fresh: Comparison = {
      ...row("pass rate", "buys the red mug"),
      verdict: "not enough data",
      isUnusual: true,
      now: rate(2, 3),
      before: null,
      nights: 0,
      lack: { _tag: "FewRuns", needed: 5, code: "new" }
    }
    const result = night.results.find(({ name }) => name === "buys the red mug")
    const known = unusual("pass rate", "known")
    const results = result === undefined ? [] : [result, { ...result, name: "known" }]
    const flaky = { ...green, results, judgement: { ...report.judgement, rows: [fresh, known] } }
    assert.deepStrictEqual(errorsOf(flaky), [])
    const [first, second, ...others] = unusualIn(flaky)
    assert.deepStrictEqual([first?.place, others], ["checkout › buys the red mug", []])
    assert.notStrictEqual(first?.what, second?.what)
    const evidence = evidenceOf(fresh)
    assert.isTrue(first?.evidence.startsWith(`${evidence}: `))
    assert.match(first?.cause ?? "", /expected/u)
    expect([first, second].map((one) => [one?.what, one?.evidence])).toMatchSnapshot("words")
    const options = { columns: 100, replay, style: plain }
    assert.deepStrictEqual(Explanation.all(flaky, options).slice(0, 2), [
      `  ! checkout › buys the red mug  ${first?.what}`,
      `      ${first?.evidence}`
    ])
    assert.include(MarkdownReporter.render(flaky, replay), evidence)
    assert.include(GitHubReporter.warnings(flaky)[0], evidence)
    assert.notInclude(JUnitReporter.render(flaky, replay), "<failure")
  })

  it("explain why a scenario that often fails is a failure tonight", () => {
    const rare = {
      ...night,
      results: night.results
        .filter(({ name }) => name === "buys the red mug")
        .map((result) => ({ ...result, verdict: "failed" as const })),
      judgement: {
        ...report.judgement,
        rows: [
          {
            ...unusual("pass rate", "buys the red mug"),
            now: rate(0, 4),
            before: rate(18, 24),
            window: 1,
            isRare: true
          }
        ]
      }
    }
    const [finding] = findingsIn(rare)
    const [evidence = ""] = rare.judgement.rows.map(evidenceOf)
    assert.strictEqual(finding?.baseline, evidence)
    assert.include(finding?.evidence, evidence)
    expect(evidence).toMatchSnapshot("words")
  })

  it("have another line on the console than a comparison without a change", () => {
    expect(HistoryLines.lines(report)[0]).toMatchSnapshot("words")
  })

  it("are the first lines at the end of the console, and warnings in CI", () => {
    const options = { columns: 100, replay, style: plain }
    assert.deepStrictEqual(Explanation.all(report, options).slice(0, 2), [
      `  ! ${textOf(report, "Unusual").place}  ${textOf(report, "Unusual").what}`,
      `      ${slow}`
    ])
    assert.deepStrictEqual(GitHubReporter.annotations(report), [])
    assert.strictEqual(
      GitHubReporter.warnings(report)[0],
      `::warning title=${textOf(report, "Unusual").place}%3A ${textOf(report, "Unusual").what}::${slow.replaceAll("%", "%25")}`
    )
  })
})

it("a usual failure is no finding", () => {
  const flaky = { ...green.results[0], verdict: "flaky" as const, trials: [trial(), trial({ verdict: "failed" })] }
  const results = [flaky as ScenarioResult]
  const scenario = { suite: results[0]?.suite ?? "", name: results[0]?.name ?? "" }
  const usual: Comparison = { ...row("pass rate", ""), scenario, verdict: "no evidence" }
  const report = { ...judgedBy(usual), results }
  assert.deepStrictEqual(errorsOf(report), [])
  assert.strictEqual(errorsOf({ ...report, judgement: judgedBy().judgement }).length, 1)
})

it("the whole night's pass rate is not repeated next to the failed scenarios", () => {
  assert.notInclude(shown(judgedBy(row("pass rate", null))).join(), "Regressed")
  const calm = { ...judgedBy(row("pass rate", null)), results: green.results }
  assert.include(shown(calm), "Regressed · pass rate")
})

describe("causes", () => {
  const said = { service: "The cart was empty." }
  const failing = (name: string, message: string) => {
    const failure = { kind: "check" as const, message, ...said }
    const trials = [0, 1].map((index) => trial({ index, verdict: "failed", failure }))
    return { ...green.results[0], name, verdict: "failed" as const, failure, trials } as ScenarioResult
  }

  it("merge one cause of several scenarios into one finding, with the number of its trials", () => {
    const results = [failing("buys tea", "the tea is ordered"), failing("buys a mug", "the mug is ordered")]
    const report = { ...green, results }
    assert.deepStrictEqual(
      errorsOf(report).map(({ kind, scenarios }) => [kind._tag, "trials" in kind && kind.trials, scenarios.length]),
      [["Failed", 4, 2]]
    )
    assert.include(textOf(report, "Failed").evidence, "The cart was empty.")
  })

  it("merge leaks of several scenarios into one finding, which counts the browsers", () => {
    const leakedBrowsers = [{ id: "b-1", stopped: true }]
    const results = ["a", "b"].map((name) => ({
      ...failing(name, ""),
      trials: [trial({ leakedBrowsers })]
    }))
    for (const result of results) Reflect.deleteProperty(result, "failure")
    assert.deepStrictEqual(
      errorsOf({ ...green, results }).map(({ kind, scenarios }) => [
        kind._tag,
        scenarios.flatMap(({ browsers = [] }) => browsers).length
      ]),
      [["Leak", 2]]
    )
  })
})

describe("the age of problems", () => {
  it("sorts problems that began tonight, new or again, before older ones, the worst first in both", () => {
    const errors = errorsOf(dated)
    assert.deepStrictEqual(
      errors.map(({ kind, scenarios: [first] }) => [kind._tag, ageOf(first?.onset)]),
      [
        ["Failed", "again"],
        ["Leak", "again"],
        ["Flaky", "new"],
        ["Failed", "old"],
        ["Unreachable", "old"],
        ["Unscored", "old"]
      ]
    )
    assert.deepStrictEqual(
      findingsIn(dated).map((text) => text.age),
      errors.map(({ scenarios: [first] }) => first?.onset && age(first.onset))
    )
  })

  it("is counted for a finding of several scenarios", () => {
    const results = away.results.map((result, index) => ({
      ...result,
      onset: { trials: { since: "2026-11-20T02:00:00.000Z", nights: index < 9 ? 2 : 1, known: 4 } }
    }))
    const [first] = findingsIn({ ...away, results })
    expect(first?.age).toMatchSnapshot("words")
  })
})

describe("grouped findings", () => {
  const told = (report: typeof night) =>
    findingsIn(report).map(({ evidence, place, scenarios }) => [place, evidence, scenarios.length])

  it("merge scenarios that one outage or one cause kept from being scored, whatever they requested", () => {
    assert.deepStrictEqual(
      errorsOf(away).map(({ kind, scenarios }) => [kind._tag, scenarios.length]),
      [
        ["Unreachable", 14],
        ["Unscored", 2]
      ]
    )
    expect(told(away)).toMatchSnapshot("words")
  })

  it("replace a malformed id like any other id", () => {
    const results = away.results.slice(-4, -2).map((result, index) => {
      const path = `/api/v2/sessions/${["%20", "12345"][index]}`
      const request = { method: "GET", path, status: 503, duration_ms: 2 }
      const failure = { kind: "check" as const, message: "the described 422", request }
      return { ...result, failure, trials: result.trials.map((trial) => ({ ...trial, failure, reruns: [] })) }
    })
    const [finding, ...others] = errorsOf({ ...away, results })
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(finding?.kind._tag === "Unreachable" && finding.kind.outage?.operations, [
      {
        cause: {
          key: "infra method=GET path=/api/v2/sessions/… status=503",
          facts: { _tag: "Request", method: "GET", path: "/api/v2/sessions/…", status: 503 }
        },
        count: 2
      }
    ])
  })

  it("keep findings of a scenario and of its quarantine separate", () => {
    assert.lengthOf(shown(night), errorsOf(night).length)
    const quarantine = { owner: "ada", reason: "", expires: "2026-11-01", expired: true }
    const results = away.results.map((result, index) => (index === 0 ? { ...result, quarantine } : result))
    assert.deepStrictEqual(
      errorsOf({ ...away, results }).map(({ scenarios }) => scenarios.length),
      [1, 13, 2]
    )
  })
})
