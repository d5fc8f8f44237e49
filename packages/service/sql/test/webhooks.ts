import { assert, it } from "@effect/vitest"
import {
  AdmissionRefused,
  type IdempotencyRecord,
  type IdSource,
  KeyTaken,
  mostSchedules,
  Schedules,
  Store,
  TimeOrderedIds,
  Webhooks,
  webhookLimits
} from "@webagent/engine"
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

  it.live(`a create with a used key stores nothing over ${name}, even at the limit`, () =>
    Effect.gen(function* () {
      const schedules = (yield* Schedules) ?? assert.fail("There are no schedules")
      const webhooks = (yield* Webhooks) ?? assert.fail("There are no webhooks")
      const kept: Array<object> = []
      const keep = (record: object) => Effect.sync(() => void kept.push(record))
      const schedule = {
        name: "Nightly",
        cron: "0 6 * * *",
        timeZone: "UTC",
        missed: "once",
        run: {},
        dueAt_ms: 1
      } as const
      const hook = { url: "https://app.example", description: null, events: [], everyKey: false }
      const first = [yield* schedules.create(schedule, keep), yield* webhooks.create(hook, 0, keep)] as const
      assert.deepStrictEqual(kept, [...first])
      for (let count = 1; count < mostSchedules; count++) yield* schedules.create(schedule)
      for (let count = 1; count < webhookLimits.webhooks; count++) yield* webhooks.create(hook, 0)
      const taken = (made: IdempotencyRecord["made"]) => () =>
        new KeyTaken({ record: { key: "k", body: "b", createdAt_ms: 0, made } })
      const errors = [
        yield* Effect.flip(schedules.create(schedule, taken({ _tag: "Schedule", schedule: first[0] }))),
        yield* Effect.flip(webhooks.create(hook, 0, taken({ _tag: "Webhook", webhook: first[1] }))),
        yield* Effect.flip(schedules.create(schedule)),
        yield* Effect.flip(webhooks.create(hook, 0))
      ]
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["KeyTaken", "KeyTaken", "NoRoom", "NoRoom"]
      )
      assert.lengthOf(yield* schedules.list, mostSchedules)
      assert.lengthOf(yield* webhooks.list, webhookLimits.webhooks)
    }).pipe(
      Effect.provide(
        Layer.orDie(
          Layer.provide(
            Layer.provide(Layer.merge(SqlSchedules.layer, SqlWebhooks.layer), TimeOrderedIds.layer),
            Layer.fresh(database)
          )
        )
      )
    )
  )

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
