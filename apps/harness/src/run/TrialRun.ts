import { CheckCount, CheckFailed, OracleCount, type Scenario, SuiteScope } from "@webagent/scenario"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { type Availability, isAwayStatus } from "./Availability.ts"
import type { Budget } from "./Budget.ts"
import { failureOf } from "./FailureOf.ts"
import * as Infra from "./Infra.ts"
import * as LeakedBrowsers from "./LeakedBrowsers.ts"
import { isCostLimited, type Planned, seedOf } from "./Plan.ts"
import * as Reruns from "./Reruns.ts"
import type { Inspection, RunnerOptions } from "./RunnerOptions.ts"
import type { SuiteScopes } from "./SuiteScopes.ts"
import type { NotRerun } from "@webagent/report/NotRerun"
import type * as Skip from "@webagent/report/Skip"
import { duration as textDuration } from "@webagent/cli/Text"
import type { Failure, LeakedBrowser, Opinions, Rerun, Trial, TrialVerdict } from "@webagent/report/Trial"
import { ExchangeListener } from "../observe/ExchangeListener.ts"
import * as TrialLog from "../observe/TrialLog.ts"
import * as TrialOutput from "../observe/TrialOutput.ts"

/** State that all trials of a run share. */
export interface RunState {
  readonly options: RunnerOptions
  /** Of the clock, in nanoseconds. */
  readonly start: bigint
  readonly budget: Budget
  readonly reruns: Reruns.Reruns
  readonly suites: SuiteScopes
  readonly availability: Availability
}

/** When a limit of time is reached, in milliseconds after the run's start, and how that is said. */
export interface Deadline {
  readonly at_ms: number
  readonly skip: Skip.Skip
}

/** Milliseconds since the run's start. */
export const elapsed = ({ start }: RunState): Effect.Effect<number> => elapsedSince(start)

const elapsedSince = (start: bigint) =>
  Effect.map(Clock.currentTimeNanos, (now) => Math.round(Number(now - start) / 1e4) / 100)

class TimeRanOut extends Data.TaggedError("TimeRanOut") {}

class ServiceLost extends Data.TaggedError("ServiceLost")<{ readonly skip: Skip.Skip }> {}

class HeldOn extends Data.TaggedError("HeldOn") {}

/**
 * Returns the exit of a scenario; undefined if it doesn't stop in time. The runner abandons a finalizer that hangs, or
 * work that cannot be interrupted, so that the night can finish.
 */
const endOf = Effect.fnUntraced(function* <A, E>(
  work: Effect.Effect<A, E>,
  patience: Duration.Duration,
  release: Duration.Duration
) {
  const fiber = yield* Effect.forkDetach(work, { startImmediately: true })
  const end = Effect.interruptible(Fiber.await(fiber))
  const seen = yield* end.pipe(Effect.timeoutOption(Duration.sum(patience, release)), Effect.interruptible, Effect.exit)
  if (Exit.isSuccess(seen) && Option.isSome(seen.value)) return seen.value.value
  fiber.interruptUnsafe()
  // stopped by hand: what it holds is released all the same
  return Exit.isSuccess(seen) ? undefined : Option.getOrUndefined(yield* Effect.timeoutOption(end, release))
})

/**
 * Result of a scenario that doesn't release its resources, given the exit of its effect. A failure of the effect itself
 * takes precedence.
 */
const heldOn = (told: Exit.Exit<unknown, unknown> | undefined): Exit.Exit<unknown, unknown> =>
  told === undefined ? Exit.fail(new TimeRanOut()) : Exit.isSuccess(told) ? Exit.fail(new HeldOn()) : told

/** A person stopped the run. */
export const stopped: Skip.Skip = { _tag: "Stopped" }

/**
 * True if the fiber itself is being interrupted. Only then does an interrupted scenario mean that the run was stopped.
 */
const isStopping = Effect.void.pipe(Effect.interruptible, Effect.exit, Effect.map(Exit.isFailure))

// a check that is not yielded is never made, and the scenario would pass whatever came
const checkedNothing = ({ where }: Scenario): Failure => ({
  kind: "check",
  message: "made no check. Add one; in a function* it needs yield*.",
  ...(where === undefined ? {} : { where })
})

/** Outcome of one attempt of a trial, before its leftovers are inspected. */
interface Tried {
  readonly started_ms: number
  readonly duration_ms: number
  readonly checks: number
  readonly verdict: TrialVerdict
  readonly reason?: string
  readonly notRerun?: NotRerun
  readonly skip?: Skip.Skip
  readonly failure?: Failure
  readonly infra?: Infra.Infra
  readonly opinions?: Opinions
}

/** One trial to run. */
interface Task {
  readonly planned: Planned
  readonly index: number
  /** The nearest limit of time; an outage moves that of the scenario. */
  readonly deadline: () => Deadline | undefined
}

const opinionsOf = ({ held, refuted }: OracleCount, { agent, judge }: TrialLog.TrialLog) => {
  const oracle = refuted > 0 ? false : held > 0 ? true : null
  return oracle === null && agent === null && judge === null ? {} : { opinions: { oracle, agent, judge } }
}

const attempt = Effect.fnUntraced(function* (
  { availability, options, start, suites }: RunState,
  { deadline: deadlineNow, planned: { scenario, suite } }: Task,
  seed: number,
  log: TrialLog.TrialLog
) {
  const count = { passed: 0, failed: 0 }
  const oracles: OracleCount = { held: 0, refuted: 0, unable: [] }
  log.agent = null
  log.judge = null
  log.lastStatus = undefined
  log.answerError = undefined
  log.runError = undefined
  log.rejections.length = 0
  let request = log.lastExchange
  let service: string | undefined
  const started_ms = yield* elapsedSince(start)
  const deadline = deadlineNow()
  const timeout = scenario.timeout ?? options.timeout
  const cut = deadline !== undefined && deadline.at_ms - started_ms < Duration.toMillis(timeout) ? deadline : undefined
  const patience = cut === undefined ? timeout : Duration.millis(Math.max(0, cut.at_ms - started_ms))
  const began = yield* Clock.currentTimeNanos
  log.began_ms = Number(began) / 1e6
  let told: Exit.Exit<unknown, unknown> | undefined
  const work = Effect.suspend(() => scenario.run(options.contextOf(seed))).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(new TimeRanOut()) }),
    Effect.raceFirst(Effect.flatMap(availability.lost, (skip) => Effect.fail(new ServiceLost({ skip })))),
    // what is sent from here on only releases what the scenario held
    Effect.onError(() =>
      Effect.sync(() => {
        request = log.lastExchange
        service = log.answerError ?? log.runError
      })
    ),
    Effect.onExit((exit) => Effect.sync(() => (told = exit))),
    Effect.scoped,
    Random.withSeed(seed),
    Effect.provideService(CheckCount, count),
    Effect.provideService(OracleCount, oracles),
    Effect.provideService(SuiteScope.SuiteScope, suites.of(suite)),
    Effect.provideService(TrialLog.TrialLog, log),
    Effect.updateService(ExchangeListener, (listener) => (seen, of) => {
      listener?.(seen, of)
      if (seen.endedAt_ms !== undefined) availability.see(seen)
    }),
    Effect.interruptible
  )
  const release = options.release ?? Duration.seconds(10)
  const ended = yield* endOf(work, patience, release)
  const exit = ended ?? heldOn(told)
  const done = {
    started_ms,
    duration_ms: yield* elapsedSince(began),
    checks: count.passed + count.failed,
    ...opinionsOf(oracles, log)
  }
  if (Exit.isSuccess(exit)) {
    const [rejection] = log.rejections
    if (rejection !== undefined) {
      const cause = Cause.fail(rejection)
      const { message, ...failure } = failureOf({ cause, scenario, request, service, redact: options.redact })
      const said = `a promise that it did not await was rejected: ${message}. Add the await.`
      return { ...done, verdict: "failed", failure: { ...failure, message: said } } satisfies Tried
    }
    return done.checks > 0
      ? ({ ...done, verdict: "passed" } satisfies Tried)
      : ({ ...done, verdict: "failed", failure: checkedNothing(scenario) } satisfies Tried)
  }
  const isUntold = ended === undefined ? told === undefined : Cause.hasInterruptsOnly(exit.cause)
  if (isUntold && (yield* isStopping)) {
    return { ...done, verdict: "skipped", skip: stopped } satisfies Tried
  }
  const failure = failureOf({ cause: exit.cause, scenario, request, service, redact: options.redact })
  const errors = exit.cause.reasons.filter(Cause.isFailReason).map(({ error }) => error)
  if (errors.some((error) => error instanceof TimeRanOut)) {
    if (cut !== undefined) return { ...done, verdict: "skipped", skip: cut.skip } satisfies Tried
    const message = `timed out after ${textDuration(Duration.toMillis(timeout))}`
    const seen = log.lastStatus === undefined ? {} : { actual: `last status: ${options.redact(log.lastStatus)}` }
    return { ...done, verdict: "failed", failure: { ...failure, kind: "timeout", message, ...seen } } satisfies Tried
  }
  const lost = errors.find((error) => error instanceof ServiceLost)
  if (lost !== undefined) return { ...done, verdict: "skipped", skip: lost.skip } satisfies Tried
  if (errors.some((error) => error instanceof HeldOn)) {
    const message = `did not release its resources within ${textDuration(Duration.toMillis(release))} of its end`
    return { ...done, verdict: "failed", failure: { ...failure, kind: "timeout", message } } satisfies Tried
  }
  const infra = errors.length === 0 ? undefined : Infra.of(errors[0], request)
  if (infra !== undefined) return { ...done, verdict: "infra", failure, infra } satisfies Tried
  if (oracles.unable.includes(errors[0])) {
    const reason = `an oracle failed: ${failure.message}`
    return { ...done, verdict: "unscored", reason, failure } satisfies Tried
  }
  const claimed = errors[0] instanceof CheckFailed && log.agent === true
  return { ...done, verdict: claimed ? "claimed" : "failed", failure } satisfies Tried
})

/** Waits before a rerun; answers whether the run was stopped meanwhile. */
const pause = (after_ms: number) =>
  Effect.sleep(Duration.millis(after_ms)).pipe(Effect.interruptible, Effect.exit, Effect.map(Exit.isFailure))

/** Tries a trial again for as long as only the infrastructure ends it and the budget of reruns allows. */
export const run = Effect.fnUntraced(function* (state: RunState, task: Task) {
  const { options, reruns } = state
  const { index, planned } = task
  const seed = seedOf(options.header.seed, planned, index)
  const log = TrialLog.make(scenarioTitle({ suite: planned.suite, name: planned.scenario.name }), index)
  const leakedBrowsers: Array<LeakedBrowser> = []
  const earlier: Array<Rerun> = []
  state.budget.follow(log)

  const tryOnce = Effect.fnUntraced(function* () {
    const watching = options.watch?.({ suite: planned.suite, scenario: planned.scenario.name, index, log })
    const watched = attempt(state, task, seed, log)
    const tried = yield* whileAway(
      yield* watching === undefined ? watched : Effect.scoped(Effect.andThen(watching, watched))
    )
    // it cannot be stopped while nothing answers
    if (log.openBrowsers.size > 0) yield* whenReachable
    leakedBrowsers.push(...(yield* LeakedBrowsers.stop(log.openBrowsers, tried.infra !== undefined, options)))
    return tried
  })

  const overlaps = ({ duration_ms }: Tried) => state.availability.overlaps(log.began_ms, log.began_ms + duration_ms)

  /** Waits while nothing answers; returns why it is not run again. */
  const whenReachable = state.availability.reachable.pipe(
    Effect.interruptible,
    Effect.exit,
    Effect.map((exit) => (Exit.isSuccess(exit) ? exit.value : stopped))
  )

  /** A try that failed while nothing answered says nothing of its scenario. */
  const whileAway = Effect.fnUntraced(function* (tried: Tried) {
    if (tried.verdict !== "failed" || tried.failure === undefined) return tried
    // a response that is missing may be the first sign of an outage
    const { status } = log.lastExchange ?? {}
    if (status === null || (status !== undefined && isAwayStatus(status))) yield* whenReachable
    return overlaps(tried)
      ? ({ ...tried, verdict: "infra", infra: { why: "the service was unreachable meanwhile" } } satisfies Tried)
      : tried
  })

  /** The reason why it doesn't run again; undefined if it does. */
  const mayNot = Effect.fnUntraced(function* (
    infra: Infra.Infra,
    isAway: boolean
  ): Effect.fn.Return<NotRerun | undefined> {
    const away = yield* whenReachable
    if (away !== undefined) return { _tag: "Skipped", skip: away }
    const { refusal } = state.budget
    if (refusal !== undefined) return { _tag: "Skipped", skip: refusal }
    // it might be charged twice, and nothing is reserved for the second time
    if (options.header.limits.cost_usd !== undefined && TrialLog.mayCostMore(log)) {
      return { _tag: "CostUnknown" }
    }
    const decision = Reruns.take(reruns, earlier.length, infra, seed, isAway)
    if ("not" in decision) return decision.not
    const deadline = task.deadline()
    const left_ms = deadline === undefined ? Infinity : deadline.at_ms - (yield* elapsed(state))
    if (left_ms <= decision.after_ms) return deadline && { _tag: "Skipped", skip: deadline.skip }
    return (yield* pause(decision.after_ms)) ? { _tag: "Skipped", skip: stopped } : undefined
  })

  let tried = yield* tryOnce()
  while (tried.infra !== undefined && tried.failure !== undefined) {
    const { duration_ms, failure, infra, started_ms } = tried
    const not = yield* mayNot(infra, overlaps(tried))
    if (not !== undefined) {
      tried = { ...tried, reason: infra.why, notRerun: not }
      break
    }
    earlier.push({ started_ms, duration_ms, failure })
    log.openBrowsers.clear()
    tried = yield* tryOnce()
  }

  // what comes from here on cannot change the verdict
  log.rejections.length = 0
  const { infra: _, ...ended } = tried
  const inspection = yield* (
    options.inspect?.({
      suite: planned.suite,
      scenario: planned.scenario.name,
      index,
      seed,
      started_ms: ended.started_ms,
      duration_ms: ended.duration_ms,
      log,
      verdict: ended.verdict
    }) ?? Effect.succeed<Inspection>({ breaches: [] })
  )
  const costUnknown = isCostLimited(planned, options.header.limits) ? TrialLog.unpriced(log) : []
  const trial: Trial = {
    ...ended,
    index,
    seed,
    ...inspection,
    requests: log.requests,
    cost_usd: TrialLog.costOf(log),
    ...(costUnknown.length === 0 ? {} : { costUnknown }),
    reruns: earlier,
    leakedBrowsers,
    ...(overlaps(tried) ? { overlapsOutage: true } : {}),
    ...(log.printed === 0 ? {} : { output: TrialOutput.of(log, options.redact) })
  }
  return { trial, log }
})
