import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { evaluate } from "./evaluated.ts"

/** A real model as `DIALECT:NAME`, and its address; the key is in WEBAGENT_MODEL_KEY. It may cost money. */
const model = process.env["WEBAGENT_LIVE_MODEL"] ?? ""
const url = process.env["WEBAGENT_LIVE_MODEL_URL"]

const minutes = 60_000

// how often it succeeds is its own matter, and printed: the test is that its runs end with a verdict
it.live.runIf(model !== "")(
  `evaluates a real model${model === "" ? " (skipped: set WEBAGENT_LIVE_MODEL)" : ` (${model})`}`,
  () =>
    Effect.gen(function* () {
      const { code, failed, results, said } = yield* evaluate(
        ["sign-in", "files", "mail", "--concurrency", "1", "--timeout", "25m"],
        {
          model,
          url,
          serverFlags: ["max-steps=15", "model-timeout=20m"]
        }
      )
      console.log([said, ...failed].join("\n"))
      assert.strictEqual(code, 0, said)
      const verdicts = results.flatMap(({ trials }) => trials.map(({ verdict }) => verdict))
      assert.strictEqual(verdicts.length, 4)
      assert.isTrue(
        verdicts.every((verdict) => ["passed", "failed", "claimed"].includes(verdict)),
        said
      )
    }),
  120 * minutes
)
