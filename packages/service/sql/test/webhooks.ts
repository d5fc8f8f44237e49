import { assert, it } from "@effect/vitest"
import { AdmissionRefused, type IdSource, Schedules, Store, TimeOrderedIds } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import { schedulesContract } from "@webagent/store-contract/Schedules"
import { webhooksContract } from "@webagent/store-contract/Webhooks"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import { type Reader, SqlSchedules, SqlStore, SqlWebhooks } from "../src/index.ts"

/** Tests the webhooks and schedules of a database. */
export const webhooksOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>): void => {
  const over = (layer: Layer.Layer<never, never, SqlClient.SqlClient | IdSource>) =>
    Layer.orDie(Layer.provide(Layer.provide(layer, TimeOrderedIds.layer), database))
  webhooksContract(`SqlWebhooks over ${name}`, over(SqlWebhooks.layer))
  schedulesContract(`SqlSchedules over ${name}`, over(SqlSchedules.layer))

  it.live(`a due time is settled in the commit of its run over ${name}, or neither is stored`, () =>
    Effect.gen(function* () {
      const store = yield* Store
      const schedules = (yield* Schedules) ?? assert.fail("There are no schedules")
      const [due, next] = [100, 200]
      const run = { task: "Find a red mug" }
      const fields = {
        name: "Nightly",
        cron: "0 6 * * *",
        timeZone: "UTC",
        missed: "once",
        run,
        dueAt_ms: due
      } as const
      const schedule = yield* schedules.create(fields)
      const settled = { dueAt_ms: next, lastDueAt_ms: due, lastRunId: "t1", lastProblem: null }
      const refused = new AdmissionRefused({ message: "No room", retryAfter_ms: 0 })
      const { events, session, turns } = creation("1")
      const commit = (also: Effect.Effect<unknown, AdmissionRefused>) =>
        Effect.result(
          store.commit({
            session,
            turns,
            events,
            also: Effect.andThen(schedules.settle(schedule, settled), Effect.asVoid(also))
          })
        )
      assert.strictEqual((yield* commit(Effect.fail(refused)))._tag, "Failure")
      assert.deepInclude(yield* schedules.find(schedule.id), { dueAt_ms: due, lastRunId: null })
      assert.strictEqual((yield* commit(Effect.void))._tag, "Success")
      assert.deepInclude(yield* schedules.find(schedule.id), settled)
      assert.isFalse(yield* schedules.settle(schedule, { ...settled, lastRunId: null }))
    }).pipe(
      Effect.provide(
        Layer.orDie(
          Layer.provideMerge(
            Layer.merge(SqlStore.layer, Layer.provide(SqlSchedules.layer, TimeOrderedIds.layer)),
            Layer.fresh(database)
          )
        )
      )
    )
  )
}
