import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeSchedule, type ScheduledRun } from "./domain/ScheduledRun.ts"
import * as MemoryOwned from "./MemoryOwned.ts"
import { IdSource } from "./ports/IdSource.ts"
import { mostSchedules, ScheduleNotFound, Schedules, schedulesFull, type SchedulesService } from "./ports/Schedules.ts"

/** Keeps schedules in memory, none at the start. */
export const make = Effect.gen(function* () {
  const owned = MemoryOwned.make<ScheduledRun, ScheduleNotFound>({
    ids: yield* IdSource,
    kind: "schedule",
    most: mostSchedules,
    full: schedulesFull,
    missing: (id) => new ScheduleNotFound({ id })
  })
  const { stored } = owned

  const waiting = () =>
    [...stored.values()]
      .flatMap((schedule) => (schedule.dueAt_ms === null ? [] : [{ schedule, dueAt_ms: schedule.dueAt_ms }]))
      .toSorted((left, right) => left.dueAt_ms - right.dueAt_ms)

  const schedules: SchedulesService = {
    create: (fields, keep) => owned.create((id, owner, at_ms) => makeSchedule(id, owner, fields, at_ms), keep),
    find: owned.find,
    list: owned.list,
    update: (id, changes) => owned.change(id, (updatedAt_ms) => ({ ...changes, updatedAt_ms })),
    remove: owned.remove,
    due: (until_ms, limit) =>
      Effect.sync(() =>
        waiting()
          .filter(({ dueAt_ms }) => dueAt_ms <= until_ms)
          .slice(0, limit)
          .map(({ schedule }) => schedule)
      ),
    settle: ({ dueAt_ms, id }, outcome) =>
      Effect.sync(() => {
        const schedule = stored.get(id)
        if (schedule?.dueAt_ms !== dueAt_ms) return false
        stored.set(id, { ...schedule, ...outcome })
        return true
      }),
    nextAt: Effect.sync(() => waiting()[0]?.dueAt_ms ?? null)
  }
  return schedules
})

/** Keeps schedules in memory; they are lost with the process. */
export const layer: Layer.Layer<never, never, IdSource> = Layer.effect(Schedules, make)
