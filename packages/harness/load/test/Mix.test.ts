import { assert, describe, it } from "@effect/vitest"
import * as Mix from "../src/Mix.ts"

describe("Mix", () => {
  it("starts each flow by its weight, evenly spread from the first round on", () => {
    const mix = Mix.parse("runs=3, browsers=1,status=5", "--mix")
    const round = Array.from({ length: 9 }, (_, index) => mix.at(index))
    for (const [flow, weight] of [
      ["runs", 3],
      ["browsers", 1],
      ["status", 5],
      ["queue", 0]
    ] as const) {
      assert.strictEqual(round.filter((other) => other === flow).length, weight, flow)
      assert.strictEqual(mix.share(flow), weight / 9)
    }
    assert.deepStrictEqual(round, [
      "status",
      "runs",
      "status",
      "browsers",
      "status",
      "runs",
      "status",
      "runs",
      "status"
    ])
    assert.strictEqual(mix.at(9 * 1000 + 3), "browsers")
  })

  it("numbers the starts of a flow without a gap, even across rounds", () => {
    const mix = Mix.parse("runs=2,browsers=3", "--mix")
    const ordinals = Array.from({ length: 50 }, (_, index) => index)
      .filter((index) => mix.at(index) === "browsers")
      .map(mix.ordinal)
    assert.deepStrictEqual(
      ordinals,
      Array.from({ length: 30 }, (_, ordinal) => ordinal)
    )
  })

  for (const [text, sentence] of [
    [
      "walks=1",
      /^WEBAGENT_LOAD_MIX must list weights from 0 to 999 for runs, browsers, .* such as runs=3,browsers=1; got "walks=1"\.$/u
    ],
    ["runs", /got "runs"\.$/u],
    ["runs=-1", /got "runs=-1"\.$/u],
    ["runs=1.5", /got "runs=1\.5"\.$/u],
    ["runs=1,", /got ""\.$/u],
    ["", /got ""\.$/u],
    ["runs=1000", /got "runs=1000"\.$/u],
    ["run.=1", /got "run\.=1"\.$/u],
    ["runs=1=2", /got "runs=1=2"\.$/u],
    ["runs=1,runs=2", /^WEBAGENT_LOAD_MIX lists runs twice\. List each flow once/u],
    ["runs=0", /^WEBAGENT_LOAD_MIX starts no flow\. Give one a weight of 1 or more/u]
  ] as const) {
    it(`refuses ${text} in one sentence`, () => {
      assert.throws(() => Mix.parse(text, "WEBAGENT_LOAD_MIX"), sentence)
    })
  }
})
