import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, carriedOut, done, Running, script } from "./running.ts"

layer(Running.layer(), { excludeTestServices: true })("a long text of the model", (it) => {
  it.effect("is cut before it is sent back", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const long = "x".repeat(1_000_000)
      script(
        running,
        {
          ...call("find", { text: long, [long]: Array.from({ length: 1000 }, () => "y".repeat(1000)) }),
          text: long,
          thought: long
        },
        done()
      )
      const { turn } = yield* carriedOut("Talk")
      assert.strictEqual(turn.status, "completed")
      const { body } = running.model.requests.at(-1) ?? {}
      assert.isBelow(JSON.stringify(body).length, 50_000)
      assert.include(JSON.stringify(body), "… (996000 more characters)")
    })
  )
})
