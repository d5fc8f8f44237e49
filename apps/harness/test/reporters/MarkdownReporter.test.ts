import { assert, describe, it } from "@effect/vitest"
import { statusWords } from "@webagent/findings/words/Title"
import type { RunStatus } from "@webagent/report/Finding"
import type { Comparison } from "@webagent/report/Comparison"
import { countsOf } from "@webagent/report/RunReport"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import * as Findings from "@webagent/findings/Findings"
import * as KindText from "@webagent/findings/words/KindText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import { notRun } from "@webagent/findings/words/Notes"
import * as RunText from "@webagent/findings/words/RunText"
import * as UsageText from "@webagent/findings/words/UsageText"
import type { RunReport } from "@webagent/report/RunReport"
import { away, cut, dated, green, night, replay, trial } from "./fixture.ts"
import { textOf } from "./words.ts"

const { render } = MarkdownReporter

/** The Markdown without its escapes. */
const decoded = (text: string) => text.replaceAll(/\\([^\w\s])/gu, "$1")

/** The rows of the table of findings, each as its cells. */
const rowsOf = (text: string) =>
  decoded(text)
    .split("\n")
    .filter((line) => line.startsWith("| **"))
    .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/gu, "")))

const titleOf = (report: RunReport, mark: string, status: RunStatus) =>
  `## ${mark} ${statusWords[status]}: ${RunText.titleOf(report)}\n`

const row = {
  scenario: null,
  verdict: "no evidence",
  isUnusual: false,
  before: { _tag: "Share", share: 0.98 },
  window: 1,
  since: "2026-01-13T02:00:00.000Z",
  nights: 7,
  detectable: null
} as const

describe("MarkdownReporter", () => {
  it("lists problems in a table, worst first, and collapses the rest", () => {
    const text = render(night, replay)
    const [table = "", folded = ""] = text.split("<details><summary>The other")
    assert.deepStrictEqual(
      rowsOf(table).map(([what]) => what),
      Findings.errorsOf(night).map((finding) => `**${KindText.text(finding)}**`)
    )
    assert.isTrue(decoded(table).startsWith(titleOf(night, "❌", "failed")))
    assert.include(table, 'replay    harness run checkout --name "buys the red mug" --seed 1')
    assert.include(folded, "| known to fail | failed | 0/2 |")
    assert.notInclude(table, "known to fail")
  })

  it("collapses all scenarios if only the whole night is worse", () => {
    const row = {
      figure: "cost",
      scenario: null,
      verdict: "regressed",
      isUnusual: false,
      now: null,
      before: null,
      window: 1,
      since: green.header.startedAt,
      nights: 7,
      change: 1.39,
      detectable: null
    } as const
    const judgement = { verdict: "regressed", nights: 7, passedOver: [], differences: [], rows: [row] } as const
    assert.include(render({ ...green, judgement }, replay), "<details><summary>All 1 scenario</summary>")
  })

  it("separates new from old failures in the table if earlier nights are known", () => {
    const text = render(dated, replay)
    assert.match(text, /^\| what \| where \| owner \| old or new \| why \|\n(?:\| --- ){5}\|\n\| \*\*/mu)
    const rows = rowsOf(text)
    for (const tag of ["Flaky", "Failed", "Unscored"] as const) {
      const { age, evidence, owner = "", place, unexplained, what } = textOf(dated, tag)
      assert.isDefined(age)
      // the next step follows the evidence in its cell
      const row = rows.find((cells) => cells[0] === `**${what}**` && cells[1] === place)
      assert.deepStrictEqual(row?.slice(2, 4), [owner, age])
      const cause = unexplained === undefined ? "" : `Cause: ${unexplained}<br>`
      assert.isTrue(row?.[4]?.startsWith(`${evidence}<br>${cause}Next: `), row?.[4])
    }
  })

  it("mentions that interrupted trials of a resumed run may have cost money", () => {
    const cut = { trials: 7, most_usd: "0.50" }
    const resumed = [{ at: "2026-11-21T03:00:00.000Z", kept: 5, after_ms: 1000, cut }]
    const text = render({ ...green, header: { ...green.header, resumed } }, replay)
    assert.include(text, `Not included: ${InterruptedTrialsText.text({ trials: 7, most_usd: "0.50" })}.`)
    assert.notInclude(render(green, replay), "interrupted")
  })

  it("prints one line for a passed run before the collapsed part", () => {
    const [title, ...others] = decoded(render(green, replay)).split("\n\n")
    assert.strictEqual(`${title}\n`, titleOf(green, "✅", "passed"))
    assert.match(others[1] ?? "", /^<details>/u)
  })

  it("shows the night's cost, and that it was not compared", () => {
    const judgement = { verdict: "not enough data", nights: 0, passedOver: [], differences: [], rows: [] } as const
    const paid = { ...green, cost_usd: "1.6", judgement }
    const text = decoded(render(paid, replay))
    const { cost, time } = UsageText.of(paid)
    assert.include(text, ` · ${UsageText.text(time)} · ${UsageText.text(cost)} · began `)
    assert.match(UsageText.text(cost), /^1\.60 USD/u)
    assert.include(text, `\n${HistoryLines.uncompared(paid)}`)
    assert.notInclude(render(green, replay), "USD")
  })

  it("shows which trials were extra trials, and their usage", () => {
    const [first] = green.results
    assert.isDefined(first)
    const more = trial({ requests: 5, cost_usd: "0.2", started_ms: 1100 })
    const confirmed = { ...first, confirm: { figure: "duration", outcome: "confirmed", trials: [more] } } as const
    const counts = countsOf([confirmed])
    const report = { ...green, results: [confirmed], counts, cost_usd: "1.6" }
    const { cost, requests, time } = UsageText.of(report)
    for (const used of [cost, requests, time]) assert.isDefined(used.confirm)
    assert.include(
      decoded(render(report, replay)),
      ` · ${[UsageText.trials(report), ...[requests, time, cost].map(UsageText.text)].join(" · ")} · `
    )
  })

  it("shows the usual values of a night's figures", () => {
    const of = (figure: "pass rate" | "duration" | "cost", now: Comparison["now"], change?: number) => ({
      ...row,
      figure,
      now,
      ...(change === undefined ? {} : { change })
    })
    const rows = [
      of("pass rate", { _tag: "Rate", passed: 27, scored: 50 }),
      of("duration", null, 0.6),
      of("cost", null, -0.005),
      { ...of("duration", null, 9), scenario: { suite: "shop", name: "pays" } }
    ]
    const judgement = { verdict: "no evidence", nights: 7, passedOver: [], differences: [], rows } as const
    const compared = HistoryLines.compared({ ...green, judgement })
    assert.isNotEmpty(compared)
    assert.include(
      decoded(render({ ...green, judgement }, replay)),
      `\n\n${["Nothing to do.", ...compared].join("\n\n")}\n\n`
    )
  })

  it("begins with open resources and how to stop them", () => {
    const left = { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "The browser is open." } as const
    const text = render({ ...night, leftovers: [left] }, replay, { reap: "harness cleanup --ledger l" })
    assert.include(text, "\n- The browser is open.\n\n```text\nharness cleanup --ledger l\n```\n")
    assert.notInclude(render(night, replay), "may still be running")
  })

  it("mentions before anything else that a limit ended a night early", () => {
    const text = decoded(render(cut, replay))
    assert.isTrue(text.startsWith(titleOf(cut, "✅", "passed")))
    assert.include(text, ` · ${UsageText.trials(cut, 7)} · `)
    const [reason] = Findings.notesOf(cut).flatMap((finding) => notRun(finding) ?? [])
    assert.isDefined(reason)
    assert.include(text, `\n${reason}.\n`)
    assert.include(text, "| guesses | passed | 1/1, 3 not run | 58 ms |")
  })

  it("puts scenarios that one cause kept from being scored in one row, and collapses them", () => {
    const text = render(away, replay)
    const rows = rowsOf(text)
    assert.lengthOf(rows, 2)
    const { evidence, place, what } = textOf(away, "Unreachable")
    const row = rows.find((cells) => cells[0] === `**${what}**`)
    assert.strictEqual(row?.[1], `${place}: away › runs 0, away › runs 1, away › runs 2, and 11 more`)
    assert.isTrue(row?.[2]?.startsWith(`${evidence}<br>Next: `), row?.[2])
    assert.include(text, "away › runs 0\naway › runs 1\n")
    assert.include(text, 'replay    harness run away --name "runs 0" --seed 1')
    assert.notInclude(text, '"runs 1"')
  })

  it("keeps text without Markdown syntax unchanged", () => {
    const [first] = night.results
    assert.isDefined(first)
    const nameOf = (name: string) => {
      const text = render({ ...green, results: [{ ...first, name, verdict: "passed" }] }, replay)
      return /^\| (?!suite)\S+ \| (.*?) \| passed/mu.exec(text)?.[1]
    }
    for (const name of [
      "pays at 02:10 (p < 0.001, +61 %)",
      "GET /api/v4/runs: HTTP 503",
      "max_cost & no <3 #7!",
      "3.3 times"
    ])
      assert.strictEqual(nameOf(name), name)
    for (const [name, escaped] of [
      ["1. pays", "1\\. pays"],
      ["- pays", "\\- pays"],
      ["*pays* _now_", "\\*pays\\* \\_now\\_"],
      ["https://a.example", "https\\://a.example"],
      ["&lt;b&gt;", "\\&lt;b\\&gt;"],
      ["a\\|b", "a\\\\\\|b"]
    ] as const)
      assert.strictEqual(nameOf(name), escaped)
  })

  it("escapes Markdown and HTML in a failure's text", () => {
    const [first] = night.results
    assert.isDefined(first)
    const evil = {
      ...first,
      name: "<img src=x> | a [b](c)\n\n# d @everyone",
      failure: { kind: "check" as const, message: "```\nx" }
    }
    const text = render({ ...night, results: [evil] }, replay)
    const outside = text.replaceAll(/^(`{3,}).*?^\1$/gmsu, "")
    assert.include(outside, "\\<img src=x> \\| a \\[b\\](c) # d \\@everyone")
    assert.notMatch(outside, /(?<!\\)(?:<img|@everyone)/u)
    assert.include(text, '````text\ncheck "```\nx" failed')
    for (const row of text.split("\n").filter((line) => line.startsWith("| **"))) {
      assert.strictEqual(row.split(/(?<!\\)\|/u).length, 5)
    }
  })

  it("never exceeds GitHub's limit, and mentions missing parts", () => {
    const results = Array.from({ length: 250 }, (_, index) =>
      night.results.map((result) => ({
        ...result,
        name: `${result.name} ${index} ${"🥐".repeat(500)}`,
        ...(result.failure === undefined ? {} : { failure: { ...result.failure, message: `order ${index}a` } }),
        trials: result.trials.map((one) =>
          one.failure === undefined ? one : { ...one, failure: { ...one.failure, message: `order ${index}a` } }
        )
      }))
    ).flat()
    const text = render({ ...night, results }, replay)
    assert.isAtMost(Buffer.byteLength(text), MarkdownReporter.most)
    assert.match(text, /\d+ findings more: see report\.html\./u)
    assert.match(text, /\d+ scenarios more: see report\.html\./u)
  })
})
