import { assert, describe, it } from "@effect/vitest"
import { byCause, causesOf, mainCauseOf, normalised } from "../src/Cause.ts"
import type { ScenarioResult } from "@webagent/report/RunReport"
import type { Failure, Trial } from "@webagent/report/Trial"
import { reportOf, resultOf as result, trialOf as trial } from "./reports.ts"

const failing = (failure: Partial<Failure>, change: Partial<Trial> = {}): Trial =>
  trial({ verdict: "failed", failure: { kind: "check", message: "the order exists", ...failure }, ...change })

/** The facts of each cause, without its tag and whether it names a check, and its scenarios. */
const told = (...results: ReadonlyArray<ScenarioResult>) =>
  causesOf(reportOf(results)).map(({ facts: { _tag, ...facts }, scenarios }) => [
    _tag,
    Object.fromEntries(Object.entries(facts).filter(([name]) => name !== "isCheck")),
    ...scenarios.map(({ result, trials }) => `${result.name} x${trials.length}`)
  ])

const factsOf = (failure: Failure, verdict: Trial["verdict"] = "failed") =>
  byCause([failure], verdict).map(({ cause }) => cause.facts)[0]

const cartEmpty = { service: "The cart was empty." }

describe("a failure's cause", () => {
  it("is the service's own error rather than the failed check", () => {
    const failure: Failure = { kind: "check", message: "the order exists", expected: "1", actual: "0", ...cartEmpty }
    assert.deepStrictEqual(factsOf(failure), {
      _tag: "Service",
      message: "the order exists",
      isCheck: true,
      error: "The cart was empty."
    })
    assert.notProperty(factsOf({ ...failure, kind: "error" }), "isCheck")
  })

  it("is the check with its expected and actual values if the service reports no error", () => {
    const failure: Failure = { kind: "check", message: "the run\n  completed", expected: "completed", actual: "failed" }
    assert.deepStrictEqual(factsOf(failure), {
      _tag: "Check",
      message: "the run",
      isCheck: true,
      expected: "completed",
      actual: "failed"
    })
  })

  it("is the last request for a timeout and for a trial that the infrastructure ended", () => {
    const path = "/api/v4/runs/7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1/status"
    const request = { method: "GET", path, status: 503, duration_ms: 2 }
    const failure: Failure = { kind: "timeout", message: "timed out after 30 s", request }
    const facts = { method: "GET", path: "/api/v4/runs/…/status", status: 503 }
    assert.deepStrictEqual(factsOf(failure), {
      _tag: "Check",
      message: "timed out after 30 s",
      lastRequest: facts
    })
    assert.deepStrictEqual(factsOf(failure, "infra"), { _tag: "Request", ...facts })
    assert.deepStrictEqual(factsOf({ ...failure, request: { ...request, status: null } }, "infra"), {
      _tag: "Request",
      ...facts,
      status: null
    })
  })
})

describe("normalizing details that differ between runs", () => {
  for (const [from, to] of [
    ["run 7f0c11aa-3f5e-4d0c-9a3b-0d53f36a9ee1 failed", "run <id> failed"],
    ["session deadbeef42 and 5f2e0000cafe-3", "session <id> and <id>"],
    ["at 2026-11-21T09:12:44.123Z in 12.5 ms", "at <time> in <duration>"],
    ["connect ECONNREFUSED 127.0.0.1:41873", "connect ECONNREFUSED <host>"],
    ["offset 1234567", "offset <number>"],
    ["Order 4711-abc was refused at 12:03.", "Order <id> was refused at <time>."],
    ["Order 99-7f was refused at 9:07:12.5, GET /orders/10-xyz", "Order <id> was refused at <time>, GET /orders/<id>"],
    ["cart 7fk2x9 and q1w2e3r4", "cart <id> and <id>"],
    // values that a check is about stay
    ["12:03", "12:03"],
    ['"4711-abc"', '"4711-abc"'],
    ["expected 12:03, got 99-xyz", "expected 12:03, got 99-xyz"],
    ["HTTP 404-abc, status: 503-abc, error 42P01", "HTTP 404-abc, status: 503-abc, error 42P01"],
    ["404-not-found and 404-page", "404-not-found and 404-page"],
    ["gpt-5-pro on node-12:30 of 64-bit", "gpt-5-pro on node-12:30 of 64-bit"],
    ["at Cart.ts:12:30 in v1beta2, 0x8007000E", "at Cart.ts:12:30 in v1beta2, 0x8007000E"],
    ["expected 1, got 2", "expected 1, got 2"],
    ["HTTP 503 after 3 attempts", "HTTP 503 after 3 attempts"],
    ["the decade was defaced", "the decade was defaced"]
  ] as const) {
    it(`turns ${from} into ${to}`, () => assert.strictEqual(normalised(from), to))
  }
})

describe("a run's causes", () => {
  it("are empty for a passed run", () => assert.deepStrictEqual(told(result("pays", [trial(), trial()])), []))

  it("keep a host that is the same in every trial, and leave out one that differs", () => {
    const refused = (port: number) => failing({ kind: "error", message: `connect ECONNREFUSED 127.0.0.1:${port}` })
    assert.deepStrictEqual(told(result("buys", [refused(4400)]), result("pays", [refused(4400)])), [
      ["Check", { message: "connect ECONNREFUSED 127.0.0.1:4400" }, "buys x1", "pays x1"]
    ])
    assert.deepStrictEqual(told(result("buys", [refused(4400)]), result("pays", [refused(4401)])), [
      ["Check", { message: "connect ECONNREFUSED …" }, "buys x1", "pays x1"]
    ])
  })

  it("show different durations and long numbers as a range, and leave out ids", () => {
    const refused = (order: string, after: string) =>
      failing({ service: `Order ${order} refused after ${after}, 2 items`, message: "it is paid" })
    assert.deepStrictEqual(
      told(
        result("a", [refused("deadbeef01", "9.5 s"), refused("deadbeef02", "12.1 s")]),
        result("b", [refused("5f2e0000cafe", "900 ms")])
      ),
      [["Service", { message: "it is paid", error: "Order … refused after 900 ms to 12.1 s, 2 items" }, "a x2", "b x1"]]
    )
    assert.deepStrictEqual(
      mainCauseOf(result("a", [failing({ actual: "20480 bytes" }), failing({ actual: "10240 bytes" })])),
      {
        key: "check message=the order exists actual=<number> bytes",
        facts: { _tag: "Check", message: "the order exists", isCheck: true, actual: "10240 to 20480 bytes" }
      }
    )
  })

  it("treat refusals that differ in order and time of day as one cause, and other words as another", () => {
    const refused = (service: string) => failing({ service, message: "the order exists" })
    const [one, other] = [
      refused("Order 4711-abc was refused at 12:03."),
      refused("Order 99-xyz was refused at 13:33.")
    ]
    assert.deepStrictEqual(told(result("a", [one]), result("b", [other])), [
      ["Service", { message: "the order exists", error: "Order … was refused at …." }, "a x1", "b x1"]
    ])
    assert.strictEqual(
      told(result("a", [one]), result("b", [refused("Order 99-xyz was cancelled at 13:33.")])).length,
      2
    )
    const opens = (expected: string) => failing({ message: "the shop opens", expected })
    assert.strictEqual(told(result("a", [opens("12:03")]), result("b", [opens("13:33")])).length, 2)
  })

  it("use the first of several broken invariants of one name, whatever the service reports", () => {
    const broken = (sentence: string) =>
      failing(cartEmpty, {
        breaches: [
          {
            invariant: "created-twice",
            facts: { _tag: "Reported", text: sentence, entries: [] } as const,
            resource: null
          }
        ]
      })
    assert.deepStrictEqual(told(result("a", [broken("Two runs."), broken("Three sessions.")])), [
      ["Service", { message: "the order exists", error: "The cart was empty." }, "a x2"],
      ["BrokenInvariant", { invariant: "created-twice", text: "Two runs." }, "a x2"]
    ])
  })

  it("merge one cause of several failed scenarios, whatever their checks are called", () => {
    assert.deepStrictEqual(
      told(
        result("buys a mug", [failing({ message: "the mug is ordered", ...cartEmpty })]),
        result("pays", [failing({ expected: "1", actual: "2" })]),
        result("buys two mugs", [
          failing({ message: "two mugs are ordered", ...cartEmpty }),
          trial(),
          failing({ kind: "error", message: "RunFailedError", ...cartEmpty })
        ])
      ),
      [
        ["Service", { error: "The cart was empty." }, "buys a mug x1", "buys two mugs x2"],
        ["Check", { message: "the order exists", expected: "1", actual: "2" }, "pays x1"]
      ]
    )
  })

  it("separate different statuses, even if a 404 and a failed run have the same message", () => {
    const of = (status: number) => ({
      service: "Not found",
      request: { method: "GET", path: "/api/v4/runs/1", status, duration_ms: 1 }
    })
    assert.strictEqual(told(result("a", [failing(of(404))]), result("b", [failing(of(200))])).length, 2)
  })

  it("include a leaked browser and a broken invariant, whatever the checks report", () => {
    const leak = { leakedBrowsers: [{ id: "b-1", stopped: true }] }
    assert.deepStrictEqual(
      told(
        result("a", [trial(leak), failing({}, leak)]),
        result("b", [
          trial({
            ...leak,
            breaches: [
              {
                invariant: "created-twice",
                facts: { _tag: "Reported", text: "Two runs.", entries: [] } as const,
                resource: "r"
              }
            ]
          })
        ])
      ),
      [
        ["LeakedBrowser", {}, "a x2", "b x1"],
        ["Check", { message: "the order exists" }, "a x1"],
        ["BrokenInvariant", { invariant: "created-twice", text: "Two runs." }, "b x1"]
      ]
    )
  })

  it("exclude a quarantined scenario until its last day", () => {
    const quarantine = { owner: "ann", reason: "known", expires: "2026-12-01", expired: false }
    assert.deepStrictEqual(told(result("a", [failing({})], { quarantine })), [])
    assert.strictEqual(told(result("a", [failing({})], { quarantine: { ...quarantine, expired: true } })).length, 1)
  })

  it("describe an unscored trial without a failure by its reason", () => {
    const trials = [trial({ verdict: "unscored", reason: "an oracle could not look: no database" })]
    assert.deepStrictEqual(told(result("a", trials)), [
      ["Other", { text: "an oracle could not look: no database" }, "a x1"]
    ])
  })
})
