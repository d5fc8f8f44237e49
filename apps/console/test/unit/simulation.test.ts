import { type FaultRule, type JournalEntry, presets } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { linesOf, ruleOf } from "../../src/features/simulation/faultRule.ts"
import { filtersOf, textOf } from "../../src/features/simulation/journalFilter.ts"
import { conditionText, entryText, faultFields, faultText, outcomeText } from "../../src/features/simulation/texts.ts"

const ruleFrom = (fields: Readonly<Record<string, string>>) => ruleOf((name) => fields[name] ?? "")

const request: JournalEntry = {
  type: "request",
  seq: 7,
  at_ms: 0,
  realAt_ms: 0,
  operation: "v4.createRun",
  resource: null,
  create: "a",
  attempt: 1,
  after: 0,
  method: "POST",
  path: "/api/v4/runs",
  apiKey: null,
  idempotencyKey: null,
  userAgent: null,
  status: 503,
  retryAfter_ms: null,
  answered: "part",
  made: null,
  fault: "unavailable",
  duration_ms: 12
}

describe("a fault's form", () => {
  it("makes a rule of the fields that have a value", () => {
    const rule = ruleFrom({
      kind: "status",
      status: "429",
      retryAfter: "2 seconds",
      operation: "v4.createRun",
      rate: "5 %",
      nth: "1, 3",
      name: " throttled "
    })
    assert.deepStrictEqual(
      rule,
      Result.succeed({
        name: "throttled",
        fault: { kind: "status", status: 429, retryAfter: Duration.seconds(2) },
        when: { operations: ["v4.createRun"], rate: 0.05, nth: [1, 3] }
      } as FaultRule)
    )
    assert.deepStrictEqual(ruleFrom({ kind: "reset" }), Result.succeed({ fault: { kind: "reset" } } as FaultRule))
  })

  it("names invalid fields as the form does", () => {
    const rule = ruleFrom({ kind: "hang", for: "soon", rate: "-20", attempts: "first" })
    if (Result.isSuccess(rule)) throw new Error("The rule was accepted")
    const lines = linesOf(rule.failure, { for: "Duration", attempts: "Attempts", rate: "Share of requests (%)" }).split(
      "\n"
    )
    assert.deepStrictEqual(
      lines.map((line) => line.split(/[:[]/u)[0]),
      ["Duration", "Attempts", "Share of requests (%)"]
    )
    assert.strictEqual(lines[2], "Share of requests (%): expected a number from 0 to 100")
  })

  it("ignores fields of another kind of fault", () => {
    assert.deepStrictEqual(faultFields["hang"], ["for", "placement"])
    assert.deepStrictEqual(
      ruleFrom({ kind: "hang", status: "500" }),
      Result.succeed({ fault: { kind: "hang" } } as FaultRule)
    )
  })
})

describe("texts of the simulated service", () => {
  it("describe each fault of the presets by its effect and its condition", () => {
    const texts = presets.hostile.faults.map((rule) => `${faultText(rule)} | ${conditionText(rule)}`)
    assert.include(
      texts,
      "reset, after-apply | 5 % of requests of v3.createSession, v4.createRun, v4.queueMessage, v4.createBrowser"
    )
    assert.include(texts, "status 503, retryAfter 2 seconds | 2 % of requests")
    assert.include(texts, "clock-skew, by 2 minutes, direction fast | 1 % of requests")
    assert.strictEqual(conditionText({ fault: { kind: "reset" } }), "every request")
    assert.strictEqual(
      conditionText({ fault: { kind: "reset" }, when: { nth: [3, 5], resource: "x" } }),
      "requests of resource x, matching request 3, 5"
    )
  })

  it("describe rows of the journal", () => {
    assert.strictEqual(entryText(request), "POST /api/v4/runs")
    assert.strictEqual(outcomeText(request), "503, cut off, fault unavailable")
    const move = { seq: 1, at_ms: 0, realAt_ms: 0, type: "move", of: "turn", id: "a", sessionId: null } as const
    assert.strictEqual(entryText({ ...move, from: null, to: "queued" }), "run a: new: queued")
    assert.strictEqual(entryText({ ...move, from: "queued", to: "dispatching" }), "run a: queued to starting")
  })
})

describe("the filters of the journal", () => {
  it("keep the values that a request can have, in one order", () => {
    const filters = filtersOf("?resource=r&operation=v4.getRun&type=request&row=3")
    assert.deepStrictEqual(filters, { type: "request", operation: "v4.getRun", resource: "r" })
    assert.strictEqual(textOf(filters), "?type=request&operation=v4.getRun&resource=r")
    assert.deepStrictEqual(filtersOf("?type=nothing&operation=v9.fly&resource="), {})
  })
})
