import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ScheduledRun } from "./domain/ScheduledRun.ts"
import { freshId } from "./freshIds.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import { mostSchedules, ScheduleNotFound, Schedules, schedulesFull, type SchedulesService } from "./ports/Schedules.ts"

/** Keeps schedules in memory, none at the start. */
export const make = Effect.gen(function* () {
  const ids = yield* IdSource
  const stored = new Map<string, ScheduledRun>()

  const isSeenBy = (owner: string | null) => (schedule: ScheduledRun) => owner === null || schedule.owner === owner

  const find = (id: string) =>
    Effect.flatMap(Owner, (owner) => {
      const schedule = stored.get(id)
      return schedule !== undefined && isSeenBy(owner)(schedule)
        ? Effect.succeed(schedule)
        : Effect.fail(new ScheduleNotFound({ id }))
    })

  const waiting = () =>
    [...stored.values()]
      .flatMap((schedule) => (schedule.dueAt_ms === null ? [] : [{ schedule, dueAt_ms: schedule.dueAt_ms }]))
      .toSorted((left, right) => left.dueAt_ms - right.dueAt_ms)

  const schedules: SchedulesService = {
    create: Effect.fnUntraced(function* (fields) {
      const owner = yield* Owner
      if ([...stored.values()].filter((one) => one.owner === owner).length >= mostSchedules) {
        return yield* schedulesFull()
      }
      const now_ms = yield* Clock.currentTimeMillis
      const schedule: ScheduledRun = {
        id: yield* freshId(ids, "schedule", (id) => stored.has(id)),
        owner,
        ...fields,
        isActive: true,
        lastDueAt_ms: null,
        lastRunId: null,
        lastProblem: null,
        createdAt_ms: now_ms,
        updatedAt_ms: now_ms
      }
      stored.set(schedule.id, schedule)
      return schedule
    }),
    find,
    list: Effect.map(Owner, (owner) => [...stored.values()].filter(isSeenBy(owner))),
    update: (id, changes) =>
      Effect.zipWith(find(id), Clock.currentTimeMillis, (schedule, now_ms) => {
        const next = { ...schedule, ...changes, updatedAt_ms: Math.max(now_ms, schedule.updatedAt_ms) }
        stored.set(id, next)
        return next
      }),
    remove: (id) => Effect.map(find(id), () => void stored.delete(id)),
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
