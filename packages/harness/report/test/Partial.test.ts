import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { Partial } from "../src/Partial.ts"
import { StoredIneligibility, StoredPartial, StoredSelection } from "../src/StoredSentences.ts"

const read = Schema.decodeUnknownSync(StoredPartial)

describe("the reason of a partial run", () => {
  const old: ReadonlyArray<readonly [string, Partial]> = [
    ["it was stopped before its end", { _tag: "Stopped", isShard: false }],
    ["a shard was stopped before its end", { _tag: "Stopped", isShard: true }],
    ["the service was away", { _tag: "ServiceAway", isWhole: true }],
    ["the service did not respond again before the run ended", { _tag: "ServiceAway", isWhole: false }],
    ["it is shard 2 of 4", { _tag: "Shard", index: 2, of: 4 }],
    ["only --tag a was asked for", { _tag: "Selection", tags: ["a"] }],
    [
      'only --last-failed and --tag a and --tag b and --name "pays and goes" and --trial 3 was asked for',
      { _tag: "Selection", tags: ["a", "b"], name: "pays and goes", lastFailed: true, trial: 3 }
    ],
    ["5 of 9 scenarios were skipped or cut short", { _tag: "Limit", which: [], cut: 5, of: 9 }],
    ["no scenario ran to its end", { _tag: "NothingRan" }],
    ["the infrastructure ended 1 of 2 trials", { _tag: "Infra", failed: 1, trials: 2 }],
    ["only this was asked for", { _tag: "Other", text: "only this was asked for" }],
    ["an unrecognized sentence", { _tag: "Other", text: "an unrecognized sentence" }]
  ]

  it("is read from an earlier version's sentence", () => {
    for (const [sentence, partial] of old) assert.deepStrictEqual(read(sentence), partial)
  })

  it("is read back unchanged", () => {
    for (const [, partial] of old) assert.deepStrictEqual(read(JSON.parse(JSON.stringify(partial))), partial)
    assert.throws(() => read({ _tag: "Stopped" }))
  })
})

describe("a run's selection", () => {
  it("is read from an earlier version's text", () => {
    const read = Schema.decodeUnknownSync(StoredSelection)
    assert.deepStrictEqual(read('--tag smoke and --name "pays"'), { tags: ["smoke"], name: "pays" })
    assert.deepStrictEqual(read("anything else"), { tags: [], name: "anything else" })
    assert.deepStrictEqual(read({ tags: ["smoke"], trial: 2 }), { tags: ["smoke"], trial: 2 })
  })
})

describe("the reason why a night isn't compared", () => {
  it("is read from an earlier version's words", () => {
    const read = Schema.decodeUnknownSync(StoredIneligibility)
    assert.deepStrictEqual(
      ["another target", "partial", "OtherTrials", "an unrecognized reason"].map((why) => read(why)),
      ["OtherTarget", "Partial", "OtherTrials", "Other"]
    )
  })
})
