import { assert, it } from "@effect/vitest"
import { Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, Retention, SqlApiKeys, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"
import { plansOf } from "./plans.ts"
import { engine, retentionOver } from "./retention.ts"

retentionOver("SQLite", Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path }))))

const over = (path: string) =>
  Layer.provideMerge(Layer.mergeAll(SqlStore.layer, SqlApiKeys.layer), Database.layer({ file: path }))

it.live("sessions to resume, stop or delete are found by indexes", () =>
  Effect.gen(function* () {
    const path = yield* file
    const sweep = Effect.gen(function* () {
      yield* Retention.stopIdle(0)
      yield* Retention.prune({ keep_ms: 0, keepRuns: 10 })
      yield* Store.use((store) => store.abandoned(10))
    })
    const plans = yield* plansOf(path, Effect.provide(sweep, Layer.provideMerge(engine, over(path))))
    const steps = plans.flatMap((plan) => plan.steps)
    assert.include(steps, "SEARCH sessions USING INDEX sessions_idle (idle_since_ms<?)")
    assert.include(steps, "SEARCH turns USING INDEX turns_ended (ended_at_ms<?)")
    assert.deepStrictEqual(
      steps.filter((step) => /^SCAN (?:turns|sessions|browsers|events|idempotency_keys)$/u.test(step)),
      []
    )
  })
)
