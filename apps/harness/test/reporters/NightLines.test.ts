import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../src/history/Judge.ts"
import * as NightLines from "../../src/reporters/NightLines.ts"
import { night, scenario, took } from "../history/nights.ts"
import { green } from "./fixture.ts"

describe("what the nights before say", () => {
  const nights = Array.from({ length: 12 }, (_, day) =>
    night(day, [scenario("pays", 5, took(1000 * (1 + 0.02 * Math.sin(5 * day))))])
  )

  it("is a line, with what would have been seen and what differs", () => {
    const { machine: _, ...elsewhere } = night(0, []).fingerprint
    const tonight = night(12, [scenario("pays")], { fingerprint: { ...elsewhere, tool: "0.2.0" } })
    const judgement = judge({ nights: nights.slice(0, 12), accepted: [] }, tonight)
    const [line, ...differences] = NightLines.lines({ ...green, judgement })
    assert.match(
      line ?? "",
      /^history {2}against 12 nights: no evidence of change; would have seen [\d.]+ points less pass rate/u
    )
    assert.include(differences, "         tool 0.2.0, was 0.1.0")
  })

  it("is not enough while there are too few", () => {
    const judgement = judge({ nights: nights.slice(0, 3), accepted: [] }, night(12, [scenario("pays")]))
    assert.deepStrictEqual(NightLines.lines({ ...green, judgement }), ["history  not enough data, 3 nights"])
  })

  it("is followed by who may be let go", () => {
    const proposals = [{ suite: "shop", scenario: "pays", owner: "kim", clean: 60, evidence: "60 passed" }]
    assert.deepStrictEqual(NightLines.lines({ ...green, proposals }), [
      "release  shop › pays (kim): 60 passed: take it out"
    ])
  })
})
