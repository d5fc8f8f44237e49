import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@webagent/report/Finding"
import * as NextText from "../../src/words/NextText.ts"

const textOf = (kind: Finding["kind"]) => NextText.text({ kind, severity: "error", scenarios: [] }, true)

describe("the next step in words", () => {
  it("promises no requests, because a report may have no trace, and warns that a flaky scenario may pass", () => {
    assert.strictEqual(
      textOf({ _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 }),
      "Open the trial, then replay it with the command below."
    )
    assert.strictEqual(
      textOf({ _tag: "Flaky", cause: null, trials: 1, isUsual: false }),
      "Open the trial, then replay it with the command below. A single replay may pass."
    )
  })

  it("runs everything again that an outage or a lost shard left untested", () => {
    assert.include(textOf({ _tag: "Unreachable", cause: null, outage: null, trials: 1 }), "--last-failed")
    const lost = { _tag: "LostShards", missing: 2, of: 3, shards: [1, 3] } as const
    assert.include(textOf({ _tag: "Incomplete", why: lost }), "--shard 1/3, then --shard 3/3 and the same --seed")
    assert.include(
      textOf({ _tag: "Incomplete", why: { _tag: "LostShards", missing: 1, of: 2 } }),
      "the same --shard and the same --seed"
    )
    const why = { ...lost, args: ["my shop.suite.ts", "--seed", "7"] }
    assert.deepStrictEqual(
      NextText.commandOf({ kind: { _tag: "Incomplete", why }, severity: "error", scenarios: [] }, "harness")?.split(
        "\n"
      ),
      [1, 3].map((n) => `harness run "my shop.suite.ts" --seed 7 --shard ${n}/3 --report-dir shard-${n}`)
    )
  })
})
