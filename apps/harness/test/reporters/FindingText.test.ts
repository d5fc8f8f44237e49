import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { errorsOf, warningsOf } from "@webagent/findings/Findings"
import { contributionLine, describe as describeFinding, exampleOf } from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { evidence as evidenceOf } from "@webagent/findings/words/Statistics"
import * as Findings from "../../src/page/Findings.ts"
import * as Explanation from "../../src/reporters/Explanation.ts"
import * as GitHubReporter from "../../src/reporters/GitHubReporter.ts"
import * as Judged from "../../src/page/Judged.ts"
import * as JUnitReporter from "../../src/reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { plain } from "@webagent/cli/Style"
import { away, dated, green, night, replay, trial } from "./fixture.ts"

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
const shown = (report: typeof night) =>
  findingsIn(report).flatMap(({ place, scenarios, what }) =>
    scenarios.length === 0 ? [`${what} · ${place}`] : scenarios.map(({ title }) => `${what} · ${title}`)
  )

describe("findings in words", () => {
  it("has no item for a green night or a quarantined scenario", () => {
    assert.deepStrictEqual(errorsOf(green), [])
    assert.notInclude(shown(night).join(), "known to fail")
    assert.include(shown(night).join(), "failed · checkout › known for too long")
  })

  it("puts a scenario that fails more often than before ahead of one that only fails", () => {
    const report = judgedBy(row("pass rate", "buys the red mug"), row("duration", "buys the red mug"))
    assert.deepStrictEqual(shown(report).slice(0, 5), [
      "claimed success wrongly · checkout › pays",
      "flaky · checkout › buys the red mug",
      "failed · checkout › known for too long",
      "browser leak · v4-browsers › forgets",
      "worse: duration · checkout › buys the red mug"
    ])
    const flaky = findingsIn(report).find(({ what }) => what === "flaky")
    assert.match(
      flaky?.evidence ?? "",
      /^2 of 3 trials passed; .*; worse than before: 2 of 5 trials passed in the last 2 nights, 19 of 20 in the 28 nights before$/u
    )
  })

  it("names the scenarios that added most to a slower night, in every report", () => {
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
    assert.strictEqual(finding.what, "worse: scenario durations")
    const [line = ""] = contributionLine(finding)
    assert.strictEqual(
      line,
      "all of it comes from 4 of 8 scenarios: checkout › buys the red mug 4.10 s per trial, usually 2.00 s; checkout › pays 4.10 s per trial, usually 2.00 s; checkout › gone 4.10 s per trial, usually 2.00 s; …"
    )
    assert.include(
      errorsOf(report).map((one) => exampleOf(one)?.name),
      "buys the red mug"
    )
    const spread = judgedBy({ ...whole, contributors: contributors.slice(2) })
    assert.strictEqual(
      findingsIn(spread).find(({ contribution }) => contribution !== undefined)?.contribution?.share,
      "spread over many scenarios; 30 % of it comes from 2 of 8 scenarios"
    )
    const even = contributors.map((one) => ({ ...one, share: 0.125 }))
    const evenly = findingsIn(judgedBy({ ...row("cost", null), scenarios: 8, contributors: even })).flatMap(
      contributionLine
    )
    assert.match(
      evenly[0] ?? "",
      /^spread evenly over the scenarios, \+105 % each; 4 of 8 scenarios: checkout › buys the red mug 4\.10 s per trial, usually 2\.00 s; /u
    )
    const again = () => "again"
    const explained = Explanation.all(report, { columns: 100, replay: again, style: plain }).join("\n")
    assert.include(explained, `      why       ${line}\n      replay    again`)
    assert.include(JUnitReporter.render(report, again), `>${line}</failure>`)
    assert.include(MarkdownReporter.render(report, again), "<br>all of it comes from 4 of 8 scenarios&#58; checkout ›")
    assert.include(GitHubReporter.annotations(report).join(), `%0A${line.replaceAll("%", "%25")}`)
    const together = Findings.render(away, ({ name }) => name, again)
    assert.strictEqual([...together.matchAll(/data-open=/gu)].length, errorsOf(away).length)
    const page = Findings.render(report, ({ name }) => name.replaceAll(" ", "-"), again)
    assert.include(
      page,
      '<a href="#buys-the-red-mug">checkout › buys the red mug</a> 4.10 s per trial, usually 2.00 s</li>'
    )
    assert.include(page, 'data-open="buys-the-red-mug"')
  })

  it("judges the whole night too; a leak is found by itself, whatever the nights before say", () => {
    assert.include(shown(judgedBy(row("cost", null))), "worse: cost · the whole night")
    assert.notInclude(shown(judgedBy(row("leaked browsers", null))).join(), "worse")
    assert.notInclude(shown(judgedBy(row("leaked browsers", "pays"))).join(), "worse")
  })
})

describe("what is unusual", () => {
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

  it("is shown by figure, and makes nothing red", () => {
    assert.deepStrictEqual(errorsOf(report), [])
    assert.deepStrictEqual(
      unusualIn(report).map(({ evidence, place, what }) => [what, place, evidence]),
      [
        ["unusually slow", "the whole night", slow],
        ["unusually costly", "2 scenarios", `up to ${evidenceOf({ ...unusual("cost", "looks"), change: 0.9 })}`]
      ]
    )
  })

  it("says why a scenario is unusually flaky, and not the same of the whole night", () => {
    const flaky = {
      ...night,
      results: night.results.filter(({ name }) => name === "buys the red mug"),
      judgement: {
        ...report.judgement,
        rows: [unusual("pass rate", null), unusual("pass rate", "buys the red mug")]
      }
    }
    const [finding, ...others] = unusualIn(flaky)
    assert.deepStrictEqual(
      [finding?.what, finding?.place, others],
      ["unusually flaky", "checkout › buys the red mug", []]
    )
    assert.include(finding?.evidence, `${flakier}: `)
    assert.match(finding?.evidence ?? "", /: .*expected/u)
    assert.match(
      Findings.render(flaky, () => "s0", replay),
      new RegExp(`<p>[^<]*expected[^<]*</p><p class="small faint">${flakier}</p>`, "u")
    )
  })

  it("of a new scenario that is flaky says so in every report, apart from one that was known to be better", () => {
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
    assert.deepStrictEqual([first?.what, first?.place, others], ["flaky", "checkout › buys the red mug", []])
    assert.match(first?.evidence ?? "", /^new, passed 2 of 3 trials: .*expected/u)
    assert.strictEqual(second?.what, "unusually flaky")
    const options = { columns: 100, replay, style: plain }
    assert.deepStrictEqual(Explanation.all(flaky, options).slice(0, 2), [
      "  ! checkout › buys the red mug  flaky",
      `      ${first?.evidence}`
    ])
    const said = /new, passed 2 of 3 trials/u
    assert.match(
      Findings.render(flaky, () => "s0", replay),
      said
    )
    assert.match(MarkdownReporter.render(flaky, replay), said)
    assert.match(GitHubReporter.warnings(flaky)[0] ?? "", said)
    assert.notInclude(JUnitReporter.render(flaky, replay), "<failure")
  })

  it("says of a scenario that always fails at times why it is red tonight", () => {
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
    const baseline =
      "0 of 4 trials passed tonight, 18 of 24 in the 28 nights before, which happens in fewer than 1 of 100 nights"
    assert.strictEqual(finding?.baseline, baseline)
    assert.include(finding?.evidence, baseline)
  })

  it("is told apart from what shows no change, in the statistics and the console", () => {
    assert.match(
      Judged.render(report.judgement),
      /Changes, and the whole night<\/caption>.*: duration<.*>unusual<.*: cost</su
    )
    assert.match(HistoryLines.lines(report)[0] ?? "", /^history {2}compared with 28 nights: 3 warnings/u)
  })

  it("is on top of the console's end and of the page, and a warning in CI", () => {
    const options = { columns: 100, replay, style: plain }
    assert.deepStrictEqual(Explanation.all(report, options).slice(0, 2), [
      "  ! the whole night  unusually slow",
      `      ${slow}`
    ])
    const page = Findings.render(report, () => "s0", replay)
    assert.match(page, /2 warnings<\/h2><ul class="findings"><li class="finding unusual">/u)
    assert.deepStrictEqual(GitHubReporter.annotations(report), [])
    assert.strictEqual(
      GitHubReporter.warnings(report)[0],
      `::warning title=the whole night%3A unusually slow::${slow.replaceAll("%", "%25")}`
    )
  })
})

it("what failed as usual is no finding", () => {
  const flaky = { ...green.results[0], verdict: "flaky" as const, trials: [trial(), trial({ verdict: "failed" })] }
  const results = [flaky as ScenarioResult]
  const scenario = { suite: results[0]?.suite ?? "", name: results[0]?.name ?? "" }
  const usual: Comparison = { ...row("pass rate", ""), scenario, verdict: "no evidence" }
  const report = { ...judgedBy(usual), results }
  assert.deepStrictEqual(errorsOf(report), [])
  assert.strictEqual(errorsOf({ ...report, judgement: judgedBy().judgement }).length, 1)
})

it("the pass rate of the whole night is not said again beside the scenarios that failed", () => {
  assert.notInclude(shown(judgedBy(row("pass rate", null))).join(), "the whole night")
  const calm = { ...judgedBy(row("pass rate", null)), results: green.results }
  assert.include(shown(calm).join(), "worse: pass rate · the whole night")
})

describe("causes", () => {
  const said = { service: "The cart was empty." }
  const failing = (name: string, message: string) => {
    const failure = { kind: "check" as const, message, ...said }
    const trials = [0, 1].map((index) => trial({ index, verdict: "failed", failure }))
    return { ...green.results[0], name, verdict: "failed" as const, failure, trials } as ScenarioResult
  }

  it("one cause of several scenarios is one finding, with the number of its trials", () => {
    const results = [failing("buys tea", "the tea is ordered"), failing("buys a mug", "the mug is ordered")]
    assert.deepStrictEqual(
      findingsIn({ ...green, results }).map(({ evidence, place, scenarios, what }) => [
        what,
        place,
        evidence,
        scenarios.length
      ]),
      [["failed", "2 scenarios", '4 trials: the service says "The cart was empty."', 2]]
    )
  })

  it("leaks of several scenarios are one finding, which counts the browsers", () => {
    const leakedBrowsers = [{ id: "b-1", stopped: true }]
    const results = ["a", "b"].map((name) => ({
      ...failing(name, ""),
      trials: [trial({ leakedBrowsers })]
    }))
    for (const result of results) Reflect.deleteProperty(result, "failure")
    assert.deepStrictEqual(
      findingsIn({ ...green, results }).map(({ evidence, place, what }) => [what, place, evidence]),
      [["browser leak", "2 scenarios", "leaked 2 browsers"]]
    )
  })
})

describe("what nights before say of the age of what is wrong", () => {
  it("puts what began tonight, new or again, before what is older; the worst first in both", () => {
    assert.deepStrictEqual(
      findingsIn(dated).map(({ age, what }) => [what, age]),
      [
        ["failed", "again after 3 passing nights"],
        ["browser leak", "again after 1 night without it"],
        ["flaky", "new"],
        ["claimed success wrongly", "since 2026-11-15, 7 nights"],
        ["service not reached", "since 2026-11-15, 7 nights"],
        ["not scored", "since 2026-11-15, 7 nights"]
      ]
    )
  })

  it("a finding of several scenarios counts their ages", () => {
    const results = away.results.map((result, index) => ({
      ...result,
      onset: { trials: { since: "2026-11-20T02:00:00.000Z", nights: index < 9 ? 2 : 1, known: 4 } }
    }))
    const [first] = findingsIn({ ...away, results })
    assert.strictEqual(first?.age, "5 new, 9 as before")
  })
})

describe("grouped findings", () => {
  const told = (report: typeof night) =>
    findingsIn(report).map(({ evidence, place, scenarios }) => [place, evidence, scenarios.length])

  const outage =
    "09:12:44 to 09:12:55 UTC (11 s): 14 trials interrupted, 14 retries; POST /api/v4/runs: HTTP 503 (24), GET /api/v4/runs/…/status: no response (4)"

  it("groups scenarios that one outage or one cause kept from being scored, whatever they requested", () => {
    assert.deepStrictEqual(told(away), [
      ["14 scenarios", outage, 14],
      ["2 scenarios", "the oracle could not look", 2]
    ])
  })

  it("replaces a malformed id like any other id", () => {
    const results = away.results.slice(-4, -2).map((result, index) => {
      const path = `/api/v2/sessions/${["%20", "12345"][index]}`
      const request = { method: "GET", path, status: 503, duration_ms: 2 }
      const failure = { kind: "check" as const, message: "the described 422", request }
      return { ...result, failure, trials: result.trials.map((trial) => ({ ...trial, failure, reruns: [] })) }
    })
    assert.deepStrictEqual(told({ ...away, results }), [
      ["2 scenarios", "09:12:45 to 09:12:46 UTC (1 s): 2 trials interrupted; GET /api/v2/sessions/…: HTTP 503 (2)", 2]
    ])
  })

  it("keeps a scenario's own findings and its quarantine's as separate items", () => {
    assert.deepStrictEqual(
      findingsIn(night).map(({ place, scenarios, what }) => [`${what} · ${place}`, scenarios.length]),
      shown(night).map((one) => [one, 1])
    )
    const quarantine = { owner: "ada", reason: "", expires: "2026-11-01", expired: true }
    const results = away.results.map((result, index) => (index === 0 ? { ...result, quarantine } : result))
    assert.deepStrictEqual(
      told({ ...away, results }).map(([title]) => title),
      ["away › runs 0", "13 scenarios", "2 scenarios"]
    )
  })
})
