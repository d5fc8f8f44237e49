import { CheckCount, type Need, type Scenario, type ScenarioContext } from "@webagent/scenario"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import { failureOf } from "./FailureOf.ts"
import { type Planned, seedOf, sourceOf, trialsOf } from "./Plan.ts"
import type { RunEvent } from "./RunEvent.ts"
import { countsOf, type RunHeader, type RunReport, type ScenarioResult, totalCost, verdictOf } from "./RunReport.ts"
import type { Breach, Failure, Leftover, Trial, TrialVerdict } from "./Trial.ts"
import * as TrialLog from "./TrialLog.ts"

/** What the runner is given; it knows no target, only how to make a scenario's context and stop a browser. */
export interface RunnerOptions {
  readonly header: RunHeader
  readonly plan: ReadonlyArray<Planned>
  readonly contextOf: (seed: number) => ScenarioContext
  /** The sentence for why the target cannot serve a need, or undefined when it can. */
  readonly lacks: (need: Need) => string | undefined
  /** Stops a browser that a scenario left open; answers whether it worked. */
  readonly stopBrowser: (id: string) => Effect.Effect<boolean>
  /** The longest one trial may take, unless its scenario says otherwise. */
  readonly timeout: Duration.Duration
  /** Takes secrets out of text. */
  readonly redact: (text: string) => string
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  /** Looks at a trial when what it left open has been stopped: which invariants it broke, and where its trace is. */
  readonly inspect?: (ended: EndedTrial) => Effect.Effect<Inspection>
  /** Runs once, when the last trial has been inspected: stops what is open, and says what no trial can be blamed for. */
  readonly finish?: Effect.Effect<Ending>
  /** Trials that an earlier run has done, by `trialKey`: they are taken as they were, and not run again. */
  readonly done?: ReadonlyMap<string, Trial>
  /** How long that earlier run was at work, in milliseconds: what comes now comes after it. */
  readonly worked_ms?: number
}

/** A trial that has ended, as `inspect` is given it. */
export interface EndedTrial {
  readonly suite: string
  readonly scenario: string
  readonly index: number
  readonly seed: number
  /** Milliseconds after the run's start, of the try that counts. */
  readonly started_ms: number
  readonly duration_ms: number
  readonly log: TrialLog.TrialLog
  readonly verdict: TrialVerdict
}

/** What looking at a trial has found. */
export interface Inspection {
  readonly breaches: ReadonlyArray<Breach>
  /** The file of its trace, relative to the report. */
  readonly trace?: string
}

/** What the end of a run has found. */
export interface Ending {
  readonly breaches: ReadonlyArray<Breach>
  /** What was still open, and what became of it. */
  readonly leftovers: ReadonlyArray<Leftover>
}

/** Names one trial of a run. */
export const trialKey = (suite: string, scenario: string, index: number): string =>
  JSON.stringify([suite, scenario, index])

class TimeRanOut extends Data.TaggedError("TimeRanOut") {}

const stopped = "the run was stopped before it had finished"

/** Whether the fiber itself is being interrupted: only then does an interrupted scenario mean a stopped run. */
const isStopping = Effect.void.pipe(Effect.interruptible, Effect.exit, Effect.map(Exit.isFailure))

const elapsedSince = (start: bigint) =>
  Effect.map(Clock.currentTimeNanos, (now) => Math.round(Number(now - start) / 1e4) / 100)

// a check that is not yielded is never made, and the scenario would pass whatever came
const checkedNothing = ({ where }: Scenario): Failure => ({
  kind: "check",
  message: "it checked nothing; was a yield* forgotten?",
  ...(where === undefined ? {} : { where })
})

/** How one try of a trial ended, before what it left behind is looked at. */
interface Tried {
  readonly seed: number
  readonly started_ms: number
  readonly duration_ms: number
  readonly checks: number
  readonly verdict: TrialVerdict
  readonly failure?: Failure
}

const attempt = Effect.fnUntraced(function* (
  options: RunnerOptions,
  { scenario, suite }: Planned,
  trial: number,
  log: TrialLog.TrialLog,
  runStart: bigint
) {
  const seed = seedOf(options.header.seed, { scenario, suite }, trial)
  const timeout = scenario.timeout ?? options.timeout
  const count = { passed: 0, failed: 0 }
  let request = log.lastExchange
  const started_ms = yield* elapsedSince(runStart)
  const start = yield* Clock.currentTimeNanos
  log.began_ms = Number(start) / 1e6
  const exit = yield* Effect.suspend(() => scenario.run(options.contextOf(seed))).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(new TimeRanOut()) }),
    // what is sent from here on only releases what the scenario held
    Effect.onError(() => Effect.sync(() => (request = log.lastExchange))),
    Effect.scoped,
    Random.withSeed(seed),
    Effect.provideService(CheckCount, count),
    Effect.provideService(TrialLog.TrialLog, log),
    Effect.interruptible,
    Effect.exit
  )
  const done = { seed, started_ms, duration_ms: yield* elapsedSince(start), checks: count.passed + count.failed }
  if (Exit.isSuccess(exit)) {
    return done.checks > 0
      ? ({ ...done, verdict: "passed" } satisfies Tried)
      : ({ ...done, verdict: "failed", failure: checkedNothing(scenario) } satisfies Tried)
  }
  if (Cause.hasInterruptsOnly(exit.cause) && (yield* isStopping)) {
    return { ...done, verdict: "skipped" } satisfies Tried
  }
  const failure = failureOf({ cause: exit.cause, scenario, request, redact: options.redact })
  if (!exit.cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error instanceof TimeRanOut)) {
    return { ...done, verdict: "failed", failure } satisfies Tried
  }
  const message = `it should end within ${Duration.format(timeout)}`
  return { ...done, verdict: "failed", failure: { ...failure, kind: "timeout", message } } satisfies Tried
})

const runTrial = Effect.fnUntraced(function* (
  options: RunnerOptions,
  planned: Planned,
  index: number,
  runStart: bigint
) {
  const log = TrialLog.make()
  const tried = yield* attempt(options, planned, index, log, runStart)
  const leakedBrowsers = yield* Effect.forEach(log.openBrowsers, (id) =>
    Effect.map(options.stopBrowser(id), (stopped) => ({ id, stopped }))
  )
  const { duration_ms, seed, started_ms, verdict } = tried
  const ended = {
    suite: planned.suite,
    scenario: planned.scenario.name,
    index,
    seed,
    started_ms,
    duration_ms,
    log,
    verdict
  }
  const { breaches, trace } = yield* options.inspect?.(ended) ?? Effect.succeed<Inspection>({ breaches: [] })
  return {
    ...tried,
    ...(verdict === "skipped" ? { reason: stopped } : {}),
    ...(trace === undefined ? {} : { trace }),
    index,
    requests: log.requests,
    cost_usd: TrialLog.costOf(log),
    reruns: [],
    leakedBrowsers,
    breaches
  } satisfies Trial
})

const overBudget = (planned: Planned, cost_usd: string): Failure | undefined => {
  const { budget_usd, where } = planned.scenario
  return budget_usd === undefined || Number(cost_usd) <= budget_usd
    ? undefined
    : {
        kind: "budget",
        message: "it should stay within its budget",
        expected: `at most ${budget_usd} USD`,
        actual: `${cost_usd} USD`,
        ...(where === undefined ? {} : { where })
      }
}

const unrun = ({ scenario, suite }: Planned, started_ms: number, reason: string): ScenarioResult => ({
  suite,
  name: scenario.name,
  source: sourceOf(scenario),
  tags: scenario.tags,
  needs: scenario.needs,
  verdict: "skipped",
  reason,
  started_ms,
  duration_ms: 0,
  checks: 0,
  cost_usd: "0",
  trials: []
})

const runScenario = Effect.fnUntraced(function* (options: RunnerOptions, planned: Planned, runStart: bigint) {
  const { scenario, suite } = planned
  const { name, needs, tags } = scenario
  const started_ms = yield* elapsedSince(runStart)
  const lacking = needs.map(options.lacks).find((reason) => reason !== undefined)
  if (lacking !== undefined) return unrun(planned, started_ms, lacking)

  yield* options.emit({ _tag: "ScenarioStarted", suite, scenario: name })
  const trials: Array<Trial> = []
  const wanted = trialsOf(planned, options.header.trials)
  while (trials.length < wanted && trials.at(-1)?.verdict !== "skipped") {
    const before = options.done?.get(trialKey(suite, name, trials.length))
    if (before !== undefined) {
      trials.push(before)
      continue
    }
    yield* options.emit({ _tag: "TrialStarted", suite, scenario: name, index: trials.length })
    const trial = yield* runTrial(options, planned, trials.length, runStart)
    trials.push(trial)
    yield* options.emit({ _tag: "TrialFinished", suite, scenario: name, trial })
  }
  const cost_usd = totalCost(trials.map((trial) => trial.cost_usd))
  const verdict = verdictOf(trials)
  const expensive = verdict === "passed" ? overBudget(planned, cost_usd) : undefined
  const failure = trials.find((trial) => trial.failure !== undefined)?.failure ?? expensive
  return {
    suite,
    name,
    source: sourceOf(scenario),
    tags,
    needs,
    started_ms,
    verdict: expensive === undefined ? verdict : "failed",
    ...(verdict === "skipped" ? { reason: stopped } : {}),
    ...(failure === undefined ? {} : { failure }),
    duration_ms: (yield* elapsedSince(runStart)) - started_ms,
    checks: trials.reduce((sum, trial) => sum + trial.checks, 0),
    cost_usd,
    trials
  } satisfies ScenarioResult
})

/**
 * Runs a plan, so many scenarios at a time, and answers with the report. Interrupting it stops the scenarios that
 * run, releases what they hold, and still answers with a report, whose `interrupted` is then true.
 */
export const run = (options: RunnerOptions): Effect.Effect<RunReport> =>
  Effect.gen(function* () {
    const start = (yield* Clock.currentTimeNanos) - BigInt(Math.round((options.worked_ms ?? 0) * 1e6))
    const results = new Map<Planned, ScenarioResult>()
    yield* options.emit({ _tag: "RunStarted", header: options.header })
    const exit = yield* Effect.forEach(
      options.plan,
      (planned) =>
        Effect.uninterruptible(
          Effect.flatMap(runScenario(options, planned, start), (result) => {
            results.set(planned, result)
            return options.emit({ _tag: "ScenarioFinished", result })
          })
        ),
      { concurrency: options.header.concurrency, discard: true }
    ).pipe(Effect.interruptible, Effect.exit)
    const ordered = options.plan.map((planned) => results.get(planned) ?? unrun(planned, 0, stopped))
    const ending = yield* options.finish ?? Effect.succeed<Ending>({ breaches: [], leftovers: [] })
    const report: RunReport = {
      format: 2,
      header: options.header,
      duration_ms: yield* elapsedSince(start),
      interrupted: Exit.isFailure(exit),
      counts: countsOf(ordered),
      cost_usd: totalCost(ordered.map((result) => result.cost_usd)),
      results: ordered,
      ...ending
    }
    yield* options.emit({ _tag: "RunFinished", report })
    return report
  }).pipe(Effect.uninterruptible)
