import { assert, describe, it } from "@effect/vitest"
import * as Attention from "../../src/reporters/Attention.ts"
import type { JudgedRow } from "@webagent/report/NightJudgement"
import type { ScenarioResult } from "@webagent/report/RunReport"
import * as Findings from "../../src/page/Findings.ts"
import * as Explanation from "../../src/reporters/Explanation.ts"
import * as GitHubReporter from "../../src/reporters/GitHubReporter.ts"
import * as Judged from "../../src/page/Judged.ts"
import * as NightLines from "../../src/reporters/NightLines.ts"
import * as JUnitReporter from "../../src/reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { plain } from "@webagent/cli/Style"
import { away, dated, green, night, replay, trial } from "./fixture.ts"

const row = (figure: JudgedRow["figure"], name: string | null): JudgedRow => ({
  figure,
  scenario: name === null ? null : { suite: "checkout", name },
  verdict: "regressed",
  now: "",
  before: "",
  window: 2,
  since: "2026-11-20T02:00:00.000Z",
  nights: 28,
  evidence: "so it was found",
  detectable: null
})

const judgedBy = (...rows: ReadonlyArray<JudgedRow>) => ({
  ...night,
  judgement: { verdict: "regressed" as const, nights: 28, passedOver: [], differences: [], rows }
})

const shown = (report: typeof night) => Attention.items(report).map(({ title, what }) => `${what} · ${title}`)

describe("Attention", () => {
  it("has no item for a green night or a quarantined scenario", () => {
    assert.deepStrictEqual(Attention.items(green), [])
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
    const flaky = Attention.items(report).find(({ what }) => what === "flaky")
    assert.match(flaky?.evidence ?? "", /^2 of 3 trials passed; .*; worse than before: so it was found$/u)
  })

  it("names the scenarios that added most to a slower night, in every report", () => {
    const contributors = ["buys the red mug", "pays", "gone", "fourth"].map((name, index) => ({
      suite: "checkout",
      name,
      now: "4.1 s",
      before: "2 s",
      change: 1.05,
      share: 0.4 - index / 10
    }))
    const report = judgedBy({ ...row("duration", null), contributors })
    const finding = Attention.findings(report).find(({ why }) => why !== undefined)
    if (finding === undefined) throw new Error("no finding says why")
    assert.strictEqual(finding.what, "worse: scenario durations")
    const [line = ""] = Attention.whyLine(finding)
    assert.strictEqual(
      line,
      "all of it comes from 4 of 8 scenarios: checkout › buys the red mug 4.1 s a trial, usually 2 s; checkout › pays 4.1 s a trial, usually 2 s; checkout › gone 4.1 s a trial, usually 2 s; …"
    )
    assert.strictEqual(Attention.exampleOf(finding)?.name, "buys the red mug")
    const spread = judgedBy({ ...row("duration", null), contributors: contributors.slice(2) })
    assert.strictEqual(
      Attention.findings(spread).find(({ why }) => why !== undefined)?.why?.share,
      "spread over many scenarios; 30 % of it comes from 2 of 8 scenarios"
    )
    const even = contributors.map((one) => ({ ...one, share: 0.125 }))
    const evenly = Attention.findings(judgedBy({ ...row("cost", null), contributors: even })).flatMap(Attention.whyLine)
    assert.match(
      evenly[0] ?? "",
      /^spread evenly over the scenarios, \+105 % each; 4 of 8 scenarios: checkout › buys the red mug 4\.1 s a trial, usually 2 s; /u
    )
    const again = () => "again"
    const explained = Explanation.all(report, { columns: 100, replay: again, style: plain }).join("\n")
    assert.include(explained, `      why       ${line}\n      replay    again`)
    assert.include(JUnitReporter.render(report, again), `>${line}</failure>`)
    assert.include(MarkdownReporter.render(report, again), "<br>all of it comes from 4 of 8 scenarios&#58; checkout ›")
    assert.include(GitHubReporter.annotations(report).join(), `%0A${line.replaceAll("%", "%25")}`)
    const together = Findings.render(away, ({ name }) => name, again)
    assert.strictEqual([...together.matchAll(/data-open=/gu)].length, Attention.findings(away).length)
    const page = Findings.render(report, ({ name }) => name.replaceAll(" ", "-"), again)
    assert.include(page, '<a href="#buys-the-red-mug">checkout › buys the red mug</a> 4.1 s a trial, usually 2 s</li>')
    assert.include(page, 'data-open="buys-the-red-mug"')
  })

  it("judges the whole night too; a leak is found by itself, whatever the nights before say", () => {
    assert.include(shown(judgedBy(row("cost", null))), "worse: cost · the whole night")
    assert.notInclude(shown(judgedBy(row("leaked browsers", null))).join(), "worse")
    assert.notInclude(shown(judgedBy(row("leaked browsers", "pays"))).join(), "worse")
  })
})

describe("what is unusual", () => {
  const unusual = (figure: JudgedRow["figure"], name: string | null): JudgedRow => ({
    ...row(figure, name),
    verdict: "no evidence",
    tier: "unusual"
  })
  const rows = [
    unusual("duration", null),
    { ...unusual("cost", "pays"), change: 0.6, evidence: "60 % more" },
    { ...unusual("cost", "looks"), change: 0.9, evidence: "90 % more" }
  ]
  const report = {
    ...green,
    judgement: { verdict: "no evidence" as const, nights: 28, passedOver: [], differences: [], rows }
  }

  it("is shown by figure, and makes nothing red", () => {
    assert.deepStrictEqual(Attention.findings(report), [])
    assert.deepStrictEqual(
      Attention.unusual(report).map(({ evidence, title, what }) => [what, title, evidence]),
      [
        ["unusually slow", "the whole night", "so it was found"],
        ["unusually costly", "2 scenarios", "up to 90 % more"]
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
    const [finding, ...others] = Attention.unusual(flaky)
    assert.deepStrictEqual(
      [finding?.what, finding?.title, others],
      ["unusually flaky", "checkout › buys the red mug", []]
    )
    assert.match(finding?.evidence ?? "", /^so it was found: .*expected/u)
    assert.match(
      Findings.render(flaky, () => "s0", replay),
      /<p>[^<]*expected[^<]*<\/p><p class="small faint">so it was found<\/p>/u
    )
  })

  it("of a new scenario that is flaky says so in every report, apart from one that was known to be better", () => {
    const fresh: JudgedRow = {
      ...row("pass rate", "buys the red mug"),
      verdict: "not enough data",
      tier: "unusual",
      nights: 0,
      evidence: "new, passed 2 of 3 trials; 0 nights before, and 5 are needed"
    }
    const result = night.results.find(({ name }) => name === "buys the red mug")
    const known = { ...unusual("pass rate", "known"), evidence: "2 of 3 trials passed tonight; no fall would be seen" }
    const results = result === undefined ? [] : [result, { ...result, name: "known" }]
    const flaky = { ...green, results, judgement: { ...report.judgement, rows: [fresh, known] } }
    assert.deepStrictEqual(Attention.findings(flaky), [])
    const [first, second, ...others] = Attention.unusual(flaky)
    assert.deepStrictEqual([first?.what, first?.title, others], ["flaky", "checkout › buys the red mug", []])
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
            evidence: "0 of 4 trials passed tonight, 18 of 24 before, which is rare; no fall would be seen"
          }
        ]
      }
    }
    const [finding] = Attention.findings(rare)
    assert.strictEqual(finding?.worse, "0 of 4 trials passed tonight, 18 of 24 before, which is rare")
    assert.include(finding?.evidence, "18 of 24 before")
  })

  it("is told apart from what shows no change, in the statistics and the console", () => {
    assert.match(
      Judged.render(report.judgement),
      /Changes, and the whole night<\/caption>.*: duration<.*>unusual<.*: cost</su
    )
    assert.match(NightLines.lines(report)[0] ?? "", /^history {2}compared with 28 nights: 3 unusual figures/u)
  })

  it("is on top of the console's end and of the page, and a warning in CI", () => {
    const options = { columns: 100, replay, style: plain }
    assert.deepStrictEqual(Explanation.all(report, options).slice(0, 2), [
      "  ! the whole night  unusually slow",
      "      so it was found"
    ])
    const page = Findings.render(report, () => "s0", replay)
    assert.match(page, /2 unusual figures<\/h2><ul class="findings"><li class="finding unusual">/u)
    assert.deepStrictEqual(GitHubReporter.annotations(report), [])
    assert.strictEqual(
      GitHubReporter.warnings(report)[0],
      "::warning title=the whole night%3A unusually slow::so it was found"
    )
  })
})

it("what failed as usual is no finding", () => {
  const flaky = { ...green.results[0], verdict: "flaky" as const, trials: [trial(), trial({ verdict: "failed" })] }
  const results = [flaky as ScenarioResult]
  const scenario = { suite: results[0]?.suite ?? "", name: results[0]?.name ?? "" }
  const usual: JudgedRow = { ...row("pass rate", ""), scenario, verdict: "no evidence", tier: "fine" }
  const report = { ...judgedBy(usual), results }
  assert.deepStrictEqual(Attention.findings(report), [])
  assert.strictEqual(Attention.findings({ ...report, judgement: judgedBy().judgement }).length, 1)
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
      Attention.findings({ ...green, results }).map(({ evidence, items, title, what }) => [
        what,
        title,
        evidence,
        items.length
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
      Attention.findings({ ...green, results }).map(({ evidence, title, what }) => [what, title, evidence]),
      [["browser leak", "2 scenarios", "leaked 2 browsers"]]
    )
  })
})

describe("what nights before say of the age of what is wrong", () => {
  it("puts what began tonight, new or again, before what is older; the worst first in both", () => {
    assert.deepStrictEqual(
      Attention.findings(dated).map((finding) => [finding.what, Attention.age(finding)]),
      [
        ["failed", "again after 3 green nights"],
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
    const [first] = Attention.findings({ ...away, results })
    assert.strictEqual(first && Attention.age(first), "5 new, 9 as before")
  })
})

describe("Attention.findings", () => {
  const told = (report: typeof night) =>
    Attention.findings(report).map(({ evidence, items, title }) => [title, evidence, items.length])

  const outage =
    "09:12:44 to 09:12:55 UTC (11 s): 14 trials ended by it, 14 tries run again; POST /api/v4/runs: HTTP 503 (24), GET /api/v4/runs/…/status: no response (4)"

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
      ["2 scenarios", "09:12:45 to 09:12:46 UTC (1 s): 2 trials ended by it; GET /api/v2/sessions/…: HTTP 503 (2)", 2]
    ])
  })

  it("keeps a scenario's own findings and its quarantine's as separate items", () => {
    assert.deepStrictEqual(
      Attention.findings(night).map(({ items, title, what }) => [`${what} · ${title}`, items.length]),
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
