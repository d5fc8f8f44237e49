import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { Target } from "../targets/Target.ts"
import * as TrialLog from "../observe/TrialLog.ts"

/** A run or session that a trial created, as the service reports it after the trial. */
interface Settlement {
  readonly state: TrialLog.StateAfter
  /** Its final cost in USD, as an exact decimal; undefined if the service reports none. */
  readonly cost_usd: string | undefined
}

/** A run that is about to finish gets about five seconds before it counts as left running: a machine may be slow. */
const grace = Schedule.upTo(Schedule.exponential("20 millis"), { times: 8 })

/**
 * Reads a run until it's over, for half of the time, and then stops it. A request that a slow machine doesn't finish in time
 * takes nothing from the state that an earlier one showed.
 */
const settleOne = (
  target: Target,
  id: string,
  made: TrialLog.Made,
  time: Duration.Duration
): Effect.Effect<Settlement> => {
  // the requests of the harness are none of the trial's
  const log = TrialLog.make()
  log.made.set(id, { ...made, sessionId: undefined })
  const path = `/${made.kind === "session" ? "sessions" : "runs"}/${encodeURIComponent(id)}`
  let isFound = false
  let isStopped = false
  const isOver = () => TrialLog.isOver(log, id)
  const read = target
    .contextOf(0)
    .request(made.kind === "session" ? "v3" : "v4", { method: "GET", path })
    .pipe(
      Effect.map(({ status }) => (isFound = status >= 200 && status < 300)),
      Effect.provideService(TrialLog.TrialLog, log)
    )
  const readUntilOver = Effect.repeat(read, { schedule: grace, until: () => !isFound || isOver() })
  const stop = Effect.gen(function* () {
    isStopped = (yield* target.cancel(made.kind, id)) === "over"
    if (isStopped) yield* read
  })
  return Effect.timeoutOption(readUntilOver, Duration.times(time, 0.5)).pipe(
    Effect.flatMap(() => (isFound && !isOver() ? stop : Effect.void)),
    Effect.timeoutOption(time),
    Effect.ignore,
    Effect.map((): Settlement => {
      if (!isFound) return { state: "unknown", cost_usd: undefined }
      if (!isStopped && !isOver()) return { state: "running", cost_usd: undefined }
      // a simulated run without a cost never started
      const cost_usd = log.costs.get(id) ?? (target.simulated ? "0" : undefined)
      return { state: isStopped ? "stopped" : "over", cost_usd }
    })
  )
}

/**
 * Settles the runs and sessions that a trial didn't see end: reads their state and cost, and stops them if they still run
 * and the target has an operation for that. Takes their costs into the trial's log, and notes in the ledger which were
 * stopped.
 *
 * @param options.ended Runs that are over according to the server's journal.
 * @param options.needsCosts Also read runs that are over and have an unknown cost, because a limit of cost is set.
 * @param options.time The longest time for each run.
 * @returns The state of each of them, by its id.
 */
export const settle = Effect.fnUntraced(function* (
  target: Target,
  log: TrialLog.TrialLog,
  options: { readonly ended: ReadonlySet<string>; readonly needsCosts: boolean; readonly time: Duration.Duration }
) {
  const unpriced = new Set(options.needsCosts ? TrialLog.unpriced(log) : [])
  const open = Array.from(log.made).filter(
    ([id, { kind }]) => kind !== "browser" && (unpriced.has(id) || !(TrialLog.isOver(log, id) || options.ended.has(id)))
  )
  const settlements = yield* Effect.forEach(
    open,
    ([id, made]) =>
      Effect.map(settleOne(target, id, made, options.time), (settlement) => [id, made, settlement] as const),
    { concurrency: 8 }
  )
  const at_ms = yield* Clock.currentTimeMillis
  for (const [id, { kind }, { cost_usd, state }] of settlements) {
    if (state !== "over" && state !== "stopped") continue
    if (cost_usd !== undefined) log.costs.set(id, cost_usd)
    log.settled.add(id)
    if (state === "stopped") yield* Effect.ignore(target.ledger.write({ _tag: "closed", at_ms, kind, id }))
  }
  return new Map(settlements.map(([id, , { state }]) => [id, state]))
})
