import { assert, describe, it } from "@effect/vitest"
import * as Findings from "../../src/oracles/Findings.ts"

const finding = (resource: string, seq: number) => ({ resource, sentence: `${resource} is wrong.`, seqs: [seq] })

describe("Findings", () => {
  it("count everything, and keep 20 subjects with the first rows of each", () => {
    const findings = Findings.make()
    for (let seq = 1; seq <= 30; seq++) findings.add("often", finding("often", seq))
    for (let matter = 0; matter < 30; matter++) findings.add(`m${matter}`, finding(`m${matter}`, matter))
    assert.strictEqual(findings.count(), 60)
    const list = findings.list()
    assert.strictEqual(list.length, 20)
    assert.deepStrictEqual(list[0], {
      resource: "often",
      sentence: "often is wrong, 30 times.",
      seqs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    })
    assert.deepStrictEqual(list[1], finding("m0", 0))
  })

  it("format durations for people", () => {
    assert.deepStrictEqual([40, 1500, 240_000].map(Findings.lasted), ["40 ms", "1.5 s", "4 min"])
  })
})
