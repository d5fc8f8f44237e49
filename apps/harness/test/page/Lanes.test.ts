import { assert, describe, it } from "@effect/vitest"
import * as Lanes from "@webagent/report/Lanes"
import { traceOf } from "./traces.ts"

const trace = traceOf({ suite: "checkout", scenario: "buys the red mug", index: 0 })

const shapes = (lane: Lanes.Lane | undefined) =>
  lane?.shapes.map(({ as, from_ms, to_ms }) => [as, from_ms, to_ms].join(" "))

describe("Lanes", () => {
  it("put a call's attempts on one lane, a run's polls on one, and spans and the journal on the others", () => {
    assert.deepStrictEqual(
      Lanes.of(trace).map(({ depth, group, status, verb, what }) => [group, depth, verb, what, status].join(" · ")),
      [
        "Requests · 0 · POST · /v4/runs · 2 attempts · 503 → 201",
        "Requests · 0 · GET · /v4/runs/7f0c11aa…/status · 5 polls · 200",
        "Requests · 0 · GET · /v4/runs/7f0c11aa… · 200",
        "Spans · 0 ·  · v4.Runs.createAndWait · ",
        "Spans · 1 ·  · v4.Runs.create · ",
        "Spans · 1 ·  · v4.RunWaiter.untilTerminal · ",
        "The server's journal · 0 · seen · requests and faults · 7 requests, 1 fault",
        "The server's journal · 0 · turn · 7f0c11aa… · completed"
      ]
    )
  })

  it("put a pause on the lane of its requests, and a state until the next one", () => {
    const lanes = Lanes.of(trace)
    assert.deepStrictEqual(shapes(lanes[0]), ["retry 66 188", "failed 4 64", "answered 190 212"])
    assert.deepStrictEqual(shapes(lanes[1])?.slice(0, 3), ["pause 214 518", "pause 527 779", "pause 787 1109"])
    assert.deepStrictEqual(shapes(lanes[7]), [
      "waiting 200 330",
      "waiting 330 420",
      "running 420 1940",
      "good 1940 2070"
    ])
  })

  it("put two creates with the same body on two lanes, each with its own attempts", () => {
    const [first, second] = trace.exchanges
    assert.isDefined(first)
    assert.isDefined(second)
    const again = [first, second, { ...first, at_ms: 400 }, { ...second, at_ms: 600 }]
    const lanes = Lanes.of({ ...trace, exchanges: again, waits: [], spans: [], journal: [] })
    assert.deepStrictEqual(lanes.map(shapes), [
      ["failed 4 64", "answered 190 212"],
      ["failed 400 460", "answered 600 622"]
    ])
  })

  it("don't show a refusal as a failure, because it may be expected", () => {
    const [first] = trace.exchanges
    assert.isDefined(first)
    const ends = [200, 404, 429, 500, null].map((status) => {
      const [lane] = Lanes.of({ ...trace, exchanges: [{ ...first, status }], waits: [], spans: [], journal: [] })
      return `${lane?.shapes[0]?.as} ${lane?.isBad}`
    })
    assert.deepStrictEqual(ends, ["answered false", "refused false", "failed true", "failed true", "failed true"])
  })

  it("have an axis with about five round times that covers everything", () => {
    assert.deepStrictEqual(Lanes.extent(Lanes.of(trace), trace.duration_ms), [0, 2070])
    assert.deepStrictEqual(Lanes.ticks(0, 2070), [0, 500, 1000, 1500, 2000])
    assert.deepStrictEqual(Lanes.ticks(-12, 30), [-10, 0, 10, 20, 30])
    assert.deepStrictEqual(Lanes.ticks(0, 1), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1])
  })
})
