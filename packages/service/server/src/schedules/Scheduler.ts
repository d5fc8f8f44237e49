import type { StartRun as StartRunRequest } from "@webagent/admin"
import {
  Admission,
  AdmissionRefused,
  CreatedRun,
  lateAfter_ms,
  nextAfter,
  Owner,
  readCron,
  type ScheduledRun,
  type ScheduleOutcome,
  type ScheduleProblem,
  Schedules,
  type SchedulesService,
  type StoreUnavailable
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { hash } from "node:crypto"
import { Caller, Callers, type UseRefused } from "../api/Caller.ts"
import * as StartRun from "./StartRun.ts"

/**
 * Longest time between two looks for schedules that another node changed. Infinite for a store that this process has to
 * itself.
 */
export const SchedulePoll: Context.Reference<Duration.Input> = Context.Reference(
  "@webagent/server/schedules/SchedulePoll",
  { defaultValue: (): Duration.Input => "5 seconds" }
)

/** Largest number of schedules that are read at once. */
const most = 20

/** Time until schedules that failed are tried again. */
const least_ms = 1000

const digest = (text: string) => hash("sha256", text, "base64url")

/** The outcome of a due time: a run, or the reason why there is none. */
type Outcome = { readonly runId: string } | { readonly problem: ScheduleProblem }

type StartError = Effect.Error<ReturnType<Effect.Success<typeof StartRun.make>["start"]>> | UseRefused

/** The reason for a refused run, as a record. A store that can't be reached is tried again. */
const problemOf = (
  error: Exclude<StartError, StoreUnavailable>,
  key: string
): Effect.Effect<ScheduleProblem, StoreUnavailable> => {
  switch (error._tag) {
    case "UseRefused": {
      const { reason } = error
      if (reason._tag === "StoreUnavailable") return Effect.fail(reason)
      if (reason._tag === "AdmissionRefused") return problemOf(reason, key)
      return Effect.succeed({ kind: "scope_missing", key, scope: reason.scope })
    }
    case "AdmissionRefused":
      if (error.limit !== undefined) return Effect.succeed({ kind: "limit", key, limit: error.limit })
      break
    case "ProfileNotFound":
      return Effect.succeed({ kind: "profile_missing" })
    case "IdempotencyKeyReused":
      return Effect.succeed({
        kind: "refused",
        message: "The schedule was changed while its run was being started. The run has the request of before"
      })
  }
  return Effect.succeed({ kind: "refused", message: error.message })
}

const make = (schedules: SchedulesService) =>
  Effect.gen(function* () {
    const { start } = yield* StartRun.make
    const callers = yield* Callers
    const poll = yield* SchedulePoll
    const woken = yield* Queue.sliding<void>(1)

    /** Fails a create for a time that another node has settled, and otherwise settles the time in its commit. */
    const settling = (schedule: ScheduledRun, settled: (runId: string | null) => ScheduleOutcome) =>
      Effect.flatMap(CreatedRun, (runId) =>
        Effect.flatMap(schedules.settle(schedule, settled(runId)), (isSettled) =>
          isSettled ? Effect.void : Effect.fail(new AdmissionRefused({ message: "The time is over", retryAfter_ms: 0 }))
        )
      )

    /**
     * Starts the run of a time. The key is made of the schedule and the time, and the outcome is stored with the run, so
     * that nodes that start it at once, are frozen in between or are killed make one run, or none if one of them had no
     * room for it.
     */
    const run = Effect.fnUntraced(function* (
      schedule: ScheduledRun,
      due_ms: number,
      settled: (runId: string | null) => ScheduleOutcome
    ) {
      const { id, owner, run: request } = schedule
      const safe = { key: digest(`schedule ${id} ${due_ms}`), body: digest(JSON.stringify(request)) }
      const settles = settling(schedule, settled)
      const started = Effect.flatMap(Admission, (limits) =>
        Effect.provideService(
          start(request as StartRunRequest, safe),
          Admission,
          limits === null ? settles : Effect.andThen(limits, settles)
        )
      )
      const outcomeOf = (app: Effect.Effect<Effect.Success<typeof started>, StartError>, key: string) =>
        app.pipe(
          Effect.map(({ turn }): Outcome => ({ runId: turn.id })),
          Effect.catchIf(
            (error): error is Exclude<typeof error, StoreUnavailable> => error._tag !== "StoreUnavailable",
            (error) => Effect.map(problemOf(error, key), (problem): Outcome => ({ problem }))
          )
        )
      if (owner === null || callers === null) {
        return yield* outcomeOf(Effect.provideService(started, Owner, owner), owner ?? "")
      }
      const caller = yield* callers.named(owner)
      if (caller === undefined) return { problem: { kind: "key_revoked", key: owner } } satisfies Outcome
      // within the limits of the key, as a request of its own
      const app = Effect.provideService(started, Caller, caller)
      return yield* outcomeOf(callers.within(caller, { scope: "runs", method: "POST", app }), owner)
    })

    const settle = Effect.fnUntraced(function* (schedule: ScheduledRun, now_ms: number) {
      const { cron, dueAt_ms, lastRunId, missed, timeZone } = schedule
      const due_ms = dueAt_ms ?? now_ms
      const parsed = readCron(cron, timeZone)
      const isSkipped = missed === "skip" && now_ms - due_ms > lateAfter_ms
      const next_ms = typeof parsed === "string" ? null : nextAfter(parsed, Math.max(now_ms, due_ms))
      const settled = (runId: string | null, lastProblem: ScheduleProblem | null = null): ScheduleOutcome => ({
        dueAt_ms: next_ms,
        lastDueAt_ms: due_ms,
        lastRunId: runId ?? lastRunId,
        lastProblem
      })
      const outcome: Outcome = isSkipped
        ? { problem: { kind: "missed", late_ms: now_ms - due_ms } }
        : yield* run(schedule, due_ms, settled)
      // settles nothing if the time was settled with its run
      yield* schedules.settle(schedule, "runId" in outcome ? settled(outcome.runId) : settled(null, outcome.problem))
    })

    /** Carries out work, and returns false if it failed. */
    const careful = <E>(work: Effect.Effect<unknown, E>, of: string) =>
      work.pipe(
        Effect.as(true),
        // the store itself logs that it is unreachable
        Effect.catch((error) => Effect.as(Effect.logDebug(`Cannot start ${of} right now`, error), false)),
        Effect.catchCause((cause) => Effect.as(Effect.logWarning(`Cannot start ${of}. Trying again.`, cause), false))
      )

    const look = Effect.gen(function* () {
      for (;;) {
        const now_ms = yield* Clock.currentTimeMillis
        const due = yield* schedules.due(now_ms, most)
        // one that can't be settled doesn't hold up the others
        const done = yield* Effect.forEach(due, (schedule) =>
          careful(settle(schedule, now_ms), `the run of schedule ${schedule.id}`)
        )
        if (due.length < most || done.includes(false)) return
      }
    })

    const wait = Effect.fnUntraced(function* (from_ms: number) {
      const now_ms = yield* Clock.currentTimeMillis
      const next_ms = yield* Effect.orElseSucceed(schedules.nextAt, () => from_ms)
      // what was due before the look failed
      const left_ms = next_ms === null ? Infinity : next_ms <= from_ms ? least_ms : Math.max(next_ms - now_ms, 1)
      const sleep_ms = Math.min(Duration.toMillis(poll), left_ms)
      const woke = Queue.take(woken)
      yield* Number.isFinite(sleep_ms) ? Effect.raceFirst(woke, Effect.sleep(sleep_ms)) : woke
    })

    yield* Clock.currentTimeMillis.pipe(
      Effect.tap(careful(look, "scheduled runs")),
      Effect.flatMap(wait),
      Effect.forever,
      Effect.forkScoped
    )
    return () => void Queue.offerUnsafe(woken, undefined)
  })

/** Starts the runs of schedules while the server runs. */
export class Scheduler extends Context.Service<
  Scheduler,
  {
    /** Looks for due schedules now, because one has changed. */
    readonly wake: Effect.Effect<void>
  }
>()("@webagent/server/Scheduler") {
  /** Does nothing on a server without schedules. */
  static readonly layer = Layer.effect(
    Scheduler,
    Effect.gen(function* () {
      const schedules = yield* Schedules
      const wake = schedules === null ? () => {} : yield* make(schedules)
      return { wake: Effect.sync(wake) }
    })
  )
}
