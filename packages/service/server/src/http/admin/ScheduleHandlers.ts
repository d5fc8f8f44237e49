import { NotFoundError, type ScheduleView, type StartRun as StartRunRequest } from "@webagent/admin"
import { ConflictError, fromMillis, HTTPValidationError } from "@webagent/contract"
import {
  Engine,
  nextAfter,
  Owner,
  readCron,
  type ScheduledRun,
  ScheduleNotFound,
  Schedules,
  type SchedulesService
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Audit from "../../api/Audit.ts"
import { inField, invalid } from "../../api/Invalid.ts"
import * as SafeCreate from "../../api/SafeCreate.ts"
import { problemSentence } from "../../schedules/problemSentence.ts"
import { hasValues } from "../../api/SecretValues.ts"
import { Scheduler } from "../../schedules/Scheduler.ts"
import * as StartRun from "../../schedules/StartRun.ts"
import { runOf } from "./Conversion.ts"
import { owned } from "./Owned.ts"
import { group } from "./Operations.ts"

const timeOf = (at_ms: number | null) => (at_ms === null ? null : fromMillis(at_ms))

const viewOf = (schedule: ScheduledRun): ScheduleView => ({
  ...Struct.pick(schedule, ["id", "name", "cron", "timeZone", "missed", "owner", "lastRunId"]),
  run: schedule.run as StartRunRequest,
  active: schedule.isActive,
  nextAt: timeOf(schedule.dueAt_ms),
  lastDueAt: timeOf(schedule.lastDueAt_ms),
  lastError: schedule.lastProblem === null ? null : problemSentence(schedule.lastProblem),
  createdAt: fromMillis(schedule.createdAt_ms),
  updatedAt: fromMillis(schedule.updatedAt_ms)
})

const none = new NotFoundError({ detail: "This server has no schedules" })

/** The next time of an expression from now; fails with the problem of the field that is wrong. */
const nextOf = Effect.fnUntraced(function* (cron: string, timeZone: string) {
  const parsed = readCron(cron, timeZone)
  if (typeof parsed === "string") {
    return yield* invalid(["body", parsed.startsWith("There is no time zone") ? "timeZone" : "cron"], parsed)
  }
  const next_ms = nextAfter(parsed, yield* Clock.currentTimeMillis)
  return next_ms ?? (yield* invalid(["body", "cron"], `${cron} names no time in the next years`))
})

const secretValues = invalid(
  ["body", "secretBindings"],
  "A schedule stores no secret values: name server secrets with the type server"
)

/** Schedules of runs. */
export const layer = group("schedules", function* (handlers) {
  const stored = yield* Schedules
  const { wake } = yield* Scheduler
  const { read, start } = yield* StartRun.make
  const engine = yield* Engine
  const schedules = stored === null ? Effect.fail(none) : Effect.succeed(stored)

  /** Refuses a request that can't start a run, and the values of secrets, because it's stored and shown. */
  const checkRun = (run: StartRunRequest) =>
    Effect.mapError(hasValues(run) ? Effect.fail(secretValues) : read(run), (error) =>
      error instanceof HTTPValidationError ? inField("run", error) : error
    )

  const use = <A, E, R>(
    body: (service: SchedulesService) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, Exclude<E, ScheduleNotFound> | NotFoundError, R> =>
    Effect.mapError(Effect.flatMap(schedules, body), (error) =>
      error instanceof ScheduleNotFound
        ? new NotFoundError({ detail: `No schedule has the id ${error.id}` })
        : (error as Exclude<E, ScheduleNotFound>)
    )

  return handlers.handleAll({
    list: () => use((service) => Effect.map(service.list, (all) => all.map(viewOf))),
    create: ({ payload, request }) =>
      use((service) =>
        Effect.gen(function* () {
          const { cron, missed = "skip", name, run, timeZone = "UTC" } = payload
          const { schedule } = yield* SafeCreate.once({ request, payload }, (safe) =>
            engine.once(safe, "Schedule", (keep) =>
              Effect.flatMap(Effect.andThen(checkRun(run), nextOf(cron, timeZone)), (dueAt_ms) =>
                owned(service.create({ cron, dueAt_ms, missed, name, run, timeZone }, keep))
              )
            )
          )
          yield* Audit.note([schedule.id])
          yield* wake
          return viewOf(schedule)
        })
      ).pipe(Effect.catchTag("NoRoom", ({ message }) => Effect.fail(new ConflictError({ detail: message })))),
    get: ({ params: { schedule_id } }) => use((service) => Effect.map(service.find(schedule_id), viewOf)),
    update: ({ params: { schedule_id }, payload: { active, ...changes } }) =>
      use((service) =>
        Effect.gen(function* () {
          const schedule = yield* service.find(schedule_id)
          if (changes.run !== undefined) yield* Effect.provideService(checkRun(changes.run), Owner, schedule.owner)
          const { cron, isActive, timeZone } = { ...schedule, isActive: active ?? schedule.isActive, ...changes }
          const isMoved = cron !== schedule.cron || timeZone !== schedule.timeZone || isActive !== schedule.isActive
          const changed = yield* service.update(schedule_id, {
            ...changes,
            isActive,
            // from now on: a pause isn't a missed time. Without such a change, a time that is due stays due
            ...(isMoved ? { dueAt_ms: isActive ? yield* nextOf(cron, timeZone) : null } : {})
          })
          yield* wake
          return viewOf(changed)
        })
      ),
    remove: ({ params: { schedule_id } }) => use((service) => service.remove(schedule_id)),
    run: ({ params: { schedule_id }, request }) =>
      use((service) =>
        Effect.gen(function* () {
          const { owner, run } = yield* service.find(schedule_id)
          const { turn } = yield* SafeCreate.once({ request, payload: run }, (safe) =>
            Effect.provideService(start(run as StartRunRequest, safe), Owner, owner)
          )
          yield* Audit.note([schedule_id, turn.id])
          return runOf(turn)
        })
      ).pipe(Effect.catchTag("ProfileUnusable", ({ message }) => Effect.fail(new ConflictError({ detail: message }))))
  })
})
