import { assert, describe, it } from "@effect/vitest"
import type { Comparison } from "@webagent/report/Comparison"
import { countsOf } from "@webagent/report/RunReport"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { away, cut, dated, green, night, replay, trial } from "./fixture.ts"

const { render } = MarkdownReporter

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
  it("what needs a person is a table, worst first; the rest is folded away", () => {
    const text = render(night, replay)
    const [table = "", folded = ""] = text.split("<details><summary>The other")
    assert.deepStrictEqual(
      [...table.matchAll(/^\| \*\*(.*?)\*\* \|/gmu)].map(([, what]) => what),
      ["claimed success wrongly", "failed", "browser leak", "flaky", "service not reached", "not scored"]
    )
    assert.match(table, /^## ❌ Failed&#58; 2 failures, 5 other problems\n/u)
    assert.include(table, 'replay    harness run checkout --name "buys the red mug" --seed 1')
    assert.include(folded, "| known to fail | failed | 0/2 |")
    assert.notInclude(table, "known to fail")
  })

  it("folds all scenarios away where only the whole night is worse", () => {
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

  it("where nights before are known, the table tells what is new from what is old", () => {
    const text = render(dated, replay)
    assert.match(text, /^\| what \| where \| old or new \| why \|\n\| --- \| --- \| --- \| --- \|\n\| \*\*failed\*\*/mu)
    assert.match(text, /^\| \*\*flaky\*\* \| [^|]* \| new \| 2 of 3/mu)
    assert.match(text, /^\| \*\*failed\*\* \| [^|]* \| again after 3 passing nights \|/mu)
    assert.match(text, /^\| \*\*not scored\*\* \| [^|]* \| since 2026&#45;11&#45;15, 7 nights \|/mu)
  })

  it("a green run is one line before what is folded away", () => {
    assert.match(render(green, replay), /^## ✅ Passed&#58; 1 of 1 scenario passed\n\n[^\n]*\n\n<details>/u)
  })

  it("says what the night cost, and that it was compared with none", () => {
    const judgement = { verdict: "not enough data", nights: 0, passedOver: [], differences: [], rows: [] } as const
    const text = render({ ...green, cost_usd: "1.6", judgement }, replay)
    assert.include(text, " · 2.1 s · 1.60 USD simulated · began ")
    assert.match(text, /\nNot compared with earlier nights&#58; 5 are needed, and 0 nights are known\. /u)
    assert.notInclude(render(green, replay), "USD")
  })

  it("says which trials were to confirm, and what they used", () => {
    const [first] = green.results
    assert.isDefined(first)
    const more = trial({ requests: 5, cost_usd: "0.2", started_ms: 1100 })
    const confirmed = { ...first, confirm: { figure: "duration", outcome: "confirmed", trials: [more] } } as const
    const counts = countsOf([confirmed])
    const text = render({ ...green, results: [confirmed], counts, cost_usd: "1.6" }, replay)
    assert.match(
      text,
      / · \d+ trials? \+ 1 to confirm · \d+ requests, 5 of them to confirm · 2\.1 s, 1 s of it to confirm · 1\.60 USD simulated, 0\.20 of it to confirm · /u
    )
  })

  it("says what a night's figures usually are", () => {
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
    assert.include(
      render({ ...green, judgement }, replay)
        .replaceAll("&#58;", ":")
        .replaceAll("&#43;", "+")
        .replaceAll("&#45;", "-"),
      "\n\nCompared with 7 nights: pass rate 54 %, usually 98 %; scenario durations +60 %; cost -0.5 %.\n\n"
    )
  })

  it("says first what is open and how to stop it", () => {
    const left = { kind: "browser", id: "b-1", trial: null, state: "open", sentence: "The browser is open." } as const
    const text = render({ ...night, leftovers: [left] }, replay, undefined, "harness reap --ledger l")
    assert.include(text, "\n- The browser is open.\n\n```text\nharness reap --ledger l\n```\n")
    assert.notInclude(render(night, replay, undefined, undefined), "may still be running")
  })

  it("a night that a limit cut short says so before all else", () => {
    const text = render(cut, replay).replaceAll("&#58;", ":").replaceAll("&#45;", "-")
    assert.match(text, /^## ✅ Passed: partial: 2 of 3 scenarios cut short\n/u)
    assert.include(text, " · 1 of 8 trials · ")
    assert.match(text, /\n1 scenario was not run, 1 scenario not with all trials: --max-time .*was reached\.\n/u)
    assert.include(text, "| guesses | passed | 1/1, 3 not run | 58 ms |")
  })

  it("what one cause kept from being scored is one row, and its scenarios are folded away", () => {
    const text = render(away, replay)
    assert.lengthOf([...text.matchAll(/^\| \*\*/gmu)], 2)
    assert.match(
      text,
      /^\| \*\*service not reached\*\* \| 14 scenarios&#58; away › runs 0, away › runs 1, away › runs 2, … \| .*; POST \/api\/v4\/runs&#58; HTTP 503 .*\|$/mu
    )
    assert.include(text, "away › runs 0\naway › runs 1\n")
    assert.include(text, 'replay    harness run away --name "runs 0" --seed 1')
    assert.notInclude(text, '"runs 1"')
  })

  it("no text of a failure can become Markdown or HTML", () => {
    const [first] = night.results
    assert.isDefined(first)
    const evil = {
      ...first,
      name: "<img src=x> | a [b](c)\n\n# d @everyone",
      failure: { kind: "check" as const, message: "```\nx" }
    }
    const text = render({ ...night, results: [evil] }, replay)
    assert.notMatch(text.replaceAll(/^(`{3,}).*?^\1$/gmsu, ""), /<img|@everyone/u)
    assert.include(text, "````text\n```\nx")
    for (const row of text.split("\n").filter((line) => line.startsWith("| **"))) {
      assert.strictEqual(row.split("|").length, 5)
    }
  })

  it("never more than GitHub shows, and it says what is missing", () => {
    const results = Array.from({ length: 1500 }, (_, index) =>
      night.results.map((result) => ({
        ...result,
        name: `${result.name} ${index} 🥐`,
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
