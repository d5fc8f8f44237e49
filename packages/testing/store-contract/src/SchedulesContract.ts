import { assert, describe } from "@effect/vitest"
import { mostSchedules, type ScheduledRun, Schedules } from "@webagent/engine"
import type * as Layer from "effect/Layer"
import { as, portTest, tagOf } from "./PortTest.ts"

const fields = (dueAt_ms: number) => ({
  name: "Nightly",
  cron: "0 6 * * *",
  timeZone: "Europe/Berlin",
  missed: "skip" as const,
  run: { task: "Find a red mug" },
  dueAt_ms
})

const idsOf = (schedules: ReadonlyArray<ScheduledRun>) => schedules.map(({ id }) => id)

/** Tests every storage of schedules. The layer is built for each test and starts empty. */
export const schedulesContract = <E>(name: string, layer: Layer.Layer<never, E>): void => {
  const test = portTest(Schedules, layer)

  describe(`${name} as storage of schedules`, () => {
    test("creates, updates and deletes schedules, and shows each owner only its own", function* (schedules) {
      const first = yield* as("a")(schedules.create(fields(100)))
      const second = yield* as("b")(schedules.create(fields(200)))
      assert.deepInclude(first, { ...fields(100), owner: "a", isActive: true, lastRunId: null, lastProblem: null })
      assert.deepStrictEqual(yield* as("a")(schedules.list), [first])
      assert.deepStrictEqual(yield* schedules.list, [first, second])
      for (const use of [schedules.find(first.id), schedules.update(first.id, {}), schedules.remove(first.id)]) {
        assert.strictEqual(yield* tagOf(as("b")(use)), "ScheduleNotFound")
      }
      assert.strictEqual(yield* tagOf(schedules.find("\u0000")), "ScheduleNotFound")
      const paused = yield* as("a")(schedules.update(first.id, { isActive: false, dueAt_ms: null }))
      assert.deepStrictEqual(yield* schedules.find(first.id), paused)
      assert.deepInclude(paused, { isActive: false, dueAt_ms: null, name: "Nightly" })
      yield* schedules.remove(first.id)
      assert.deepStrictEqual(yield* schedules.list, [second])
    })

    test("returns due schedules, the most overdue first, and the next time", function* (schedules) {
      assert.isNull(yield* schedules.nextAt)
      const late = yield* schedules.create(fields(300))
      const early = yield* schedules.create(fields(100))
      const paused = yield* schedules.create(fields(50))
      yield* schedules.update(paused.id, { isActive: false, dueAt_ms: null })
      assert.strictEqual(yield* schedules.nextAt, 100)
      assert.deepStrictEqual(idsOf(yield* schedules.due(99, 9)), [])
      assert.deepStrictEqual(idsOf(yield* schedules.due(300, 9)), [early.id, late.id])
      assert.deepStrictEqual(idsOf(yield* schedules.due(300, 1)), [early.id])
    })

    test("stores the outcome of a due time once, without overwriting the owner's changes", function* (schedules) {
      const schedule = yield* schedules.create(fields(100))
      const problem = { kind: "limit", key: "a", limit: { of: "runs", most: 5, used: 5 } } as const
      const outcome = (lastRunId: string) => ({ dueAt_ms: 200, lastDueAt_ms: 100, lastRunId, lastProblem: problem })
      assert.isTrue(yield* schedules.settle(schedule, outcome("r1")))
      assert.isFalse(yield* schedules.settle(schedule, outcome("r2")))
      const settled = yield* schedules.find(schedule.id)
      assert.deepInclude(settled, outcome("r1"))
      assert.strictEqual(yield* schedules.nextAt, 200)
      yield* schedules.update(schedule.id, { dueAt_ms: 150 })
      yield* schedules.settle(settled, outcome("r3"))
      assert.deepInclude(yield* schedules.find(schedule.id), { dueAt_ms: 150, lastRunId: "r1" })
      yield* schedules.remove(schedule.id)
      yield* schedules.settle({ id: schedule.id, dueAt_ms: 150 }, outcome("r4"))
    })

    test("refuses more schedules than an owner may have", function* (schedules) {
      for (let count = 0; count < mostSchedules; count++) yield* as("a")(schedules.create(fields(count)))
      assert.strictEqual(yield* tagOf(as("a")(schedules.create(fields(0)))), "NoRoom")
      assert.strictEqual(yield* tagOf(as("b")(schedules.create(fields(0)))), "done")
    })
  })
}
