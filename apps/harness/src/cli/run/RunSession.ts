import { PollSchedule } from "@webagent/polling"
import type { LearnedScenario } from "@webagent/nights/LearnedScenario"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunHeader, RunReport } from "@webagent/report/RunReport"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Project } from "../../config/Project.ts"
import * as EndOfRun from "../../leftovers/EndOfRun.ts"
import * as KeyScan from "../../observe/KeyScan.ts"
import type * as TrialOutput from "../../observe/TrialOutput.ts"
import { traced } from "../../observe/TrialTracer.ts"
import type { Unawaited } from "../../observe/Unawaited.ts"
import * as Inspector from "../../run/Inspector.ts"
import * as LiveSteps from "../../run/LiveSteps.ts"
import type { NightHistory } from "../../run/NightHistory.ts"
import type * as Plan from "../../run/Plan.ts"
import * as Runner from "../../run/Runner.ts"
import type { Target } from "../../targets/Target.ts"
import { defaultTimeout } from "../../targets/TrialTimeout.ts"
import * as Advice from "../Advice.ts"
import * as Notifications from "../Notifications.ts"
import * as Reporting from "../reports/Reporting.ts"
import type { Resumed } from "../Resumed.ts"
import type { RunOptions } from "../RunFlags.ts"
import * as Debugging from "./Debugging.ts"

/** Input of a session. */
interface SessionOptions {
  readonly options: RunOptions
  /** Returns the argument for a suite on the command line. */
  readonly argumentOf: (suite: string) => string
  readonly history: NightHistory
  readonly resumed?: Resumed | undefined
  /** The folder of a shard that has an open ledger, if the run was merged from shards. */
  readonly ledgerIn?: string | undefined
}

/** A plan for a target. */
interface Execution {
  readonly target: Target
  readonly header: RunHeader
  readonly plan: ReadonlyArray<Plan.Planned>
  readonly unawaited: Unawaited
  readonly learned?: ReadonlyMap<string, LearnedScenario>
}

/** Subscribes to the events of a run in the order of time; the run waits for it. */
interface Subscriber {
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  /** Runs the scenarios while the subscriber captures their output. */
  readonly showing: ReturnType<typeof TrialOutput.captured>
}

/** Runs a plan on a target. The only place that assembles the options of the runner. */
export const execute = Effect.fnUntraced(function* (
  { header, learned, plan, target, unawaited }: Execution,
  {
    directory,
    history,
    options,
    resumed,
    subscriber
  }: Pick<SessionOptions, "options" | "resumed"> & {
    readonly subscriber: Subscriber
    /** The folder of traces and the ledger; undefined to write none. */
    readonly directory?: string | undefined
    readonly history?: NightHistory
  }
) {
  const onPicture = yield* LiveSteps.PictureListener
  const emit = (event: RunEvent) => Effect.andThen(debugging.emit(event), subscriber.emit(event))
  const debugging = options.debug ? Debugging.make(target.redact) : Debugging.none
  return yield* Runner.run({
    header,
    plan,
    contextOf: target.contextOf,
    lacks: target.lacks,
    ...(yield* Inspector.make(target, plan, {
      directory,
      limits: header.limits,
      readsPassed: options.evaluation !== undefined,
      unawaited
    })),
    timeout: options.timeout ?? defaultTimeout(target),
    release: EndOfRun.timeFor(target),
    redact: target.redact,
    emit,
    // a simulated agent takes no steps
    ...(onPicture === undefined || target.simulated ? {} : { watch: LiveSteps.make({ target, emit, onPicture }) }),
    ...(history === undefined ? {} : { suspects: history.suspects, conclude: history.conclude }),
    ...(learned === undefined ? {} : { learned }),
    ...(options.trial === undefined ? {} : { only: options.trial - 1 }),
    ...(target.probe === undefined ? {} : { probe: target.probe }),
    ...(resumed === undefined ? {} : { done: resumed.done, worked_ms: resumed.worked_ms, outages: resumed.outages })
  }).pipe(
    subscriber.showing,
    debugging.listening,
    Effect.provideService(PollSchedule.Current, target.pollSchedule),
    traced
  )
})

/**
 * Starts the reporters of a run and connects them with its history and its notifications. `run`, `record`, `drift` and
 * `merge` create their reports with a session. A replayed run is a run with a session like any other.
 */
export const make = Effect.fnUntraced(function* ({ argumentOf, history, ledgerIn, options, resumed }: SessionOptions) {
  const { config } = yield* Project
  const replay = Advice.replay(options, argumentOf, config)
  const [next, reap] = [Advice.next(options, replay, config), Advice.reap(options, config)]
  const reporting = yield* Reporting.start({
    options,
    replay,
    next: (report, directory) => next(report, ledgerIn ?? directory),
    reap: (report, directory) => reap(report, ledgerIn ?? directory),
    ignoring: Advice.ignoring(options),
    commands: Advice.commandsOf(options),
    nights: history.nights,
    history: history.history,
    resumed
  })
  const { directory, emit } = reporting
  return {
    directory,
    /** Passes events to the reporters of a run that this process doesn't execute. */
    replayed: Effect.fnUntraced(function* (report: RunReport) {
      yield* emit({ _tag: "RunStarted", header: report.header })
      for (const result of report.results) yield* emit({ _tag: "ScenarioFinished", result })
      yield* emit({ _tag: "RunFinished", report })
    }),
    execute: (execution: Execution) =>
      execute(execution, { options, resumed, history, directory, subscriber: reporting }),
    /**
     * Writes the reports, adds the run to the history, shows the verdict and sends notifications. Returns whether all
     * files are free of the target's API key, and whether an evaluation meets its requirement.
     */
    finish: Effect.fnUntraced(function* (report: RunReport, target?: Pick<Target, "apiKey">) {
      // a report that cannot be written keeps nothing else from being done
      const written = yield* Effect.exit(reporting.finish)
      // what was written last, too
      const keyIn = target === undefined ? [] : yield* KeyScan.clean(directory, target.apiKey)
      if (keyIn.length > 0) yield* Console.error(`Removed the API key from ${keyIn.join(", ")}.`)
      // before the run is over: one that was killed here is resumed, and recorded then
      const recorded = yield* Effect.exit(Effect.andThen(history.record(report, directory), reporting.end))
      const failures = [written, recorded].flatMap((exit) => (Exit.isFailure(exit) ? [exit.cause] : []))
      yield* reporting.show(failures.length === 0)
      // every failure is printed, and the last one is the failure of the run
      for (const { reasons } of failures.slice(0, -1)) {
        for (const reason of reasons) if (Cause.isFailReason(reason)) yield* Console.error(reason.error.message)
      }
      const failure = failures.at(-1)
      if (failure !== undefined) return yield* Effect.failCause(failure)
      const isBelow = yield* options.evaluation?.hasFailed(report, directory) ?? Effect.succeed(false)
      const apiKey = target?.apiKey
      yield* Effect.interruptible(
        Notifications.notify(options, report, {
          nights: history.nights,
          folder: directory,
          ...(apiKey === undefined ? {} : { apiKey })
        })
      )
      return keyIn.length === 0 && !isBelow
    }, Effect.uninterruptible)
  }
})
