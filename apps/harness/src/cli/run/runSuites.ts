import type { TargetInfo } from "@webagent/scenario"
import { PollSchedule } from "@webagent/polling"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { usage } from "@webagent/cli/UserError"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import * as Gate from "@webagent/report/Gate"
import * as Machine from "@webagent/report/Machine"
import * as Plan from "../../run/Plan.ts"
import type { RunHeader } from "@webagent/report/RunReport"
import * as Runner from "../../run/Runner.ts"
import type { Target } from "../../targets/Target.ts"
import { traced } from "../../observe/TrialTracer.ts"
import * as KeyScan from "../../observe/KeyScan.ts"
import * as Unawaited from "../../observe/Unawaited.ts"
import { Project } from "../../config/Project.ts"
import * as Advice from "../Advice.ts"
import { choose, limitsOf, selectionOf } from "../selection/ChosenScenarios.ts"
import * as Debugging from "./Debugging.ts"
import * as EndOfRun from "../../leftovers/EndOfRun.ts"
import * as Inspector from "../../run/Inspector.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { version } from "../Program.ts"
import * as Notifications from "../Notifications.ts"
import * as Reporting from "../reports/Reporting.ts"
import type { Resumed } from "../Resumed.ts"
import type { RunOptions } from "../RunFlags.ts"
import { reportAway } from "./reportAway.ts"
import { stopLeftovers } from "./stopLeftovers.ts"
import { defaultTimeout } from "../../targets/TrialTimeout.ts"
import * as Capabilities from "../../targets/Capabilities.ts"
import * as TargetSource from "../TargetSource.ts"

/** Builds the header of a run. `argumentOf` returns the argument for a suite on the command line. */
export const headerOf = Effect.fnUntraced(function* (
  options: RunOptions,
  target: Pick<Target, "simulated"> & { readonly info: Pick<TargetInfo, "address" | "capabilities" | "name"> },
  plan: ReadonlyArray<Plan.Planned>,
  argumentOf: (suite: string) => string
) {
  const counts = Map.groupBy(plan, ({ suite }) => suite)
  const { address, capabilities, name } = target.info
  const selection = selectionOf(options)
  return {
    tool: { name: "webagent-harness", version },
    startedAt: DateTime.formatIso(yield* DateTime.now),
    seed: options.seed,
    concurrency: options.concurrency,
    trials: options.trials ?? null,
    limits: limitsOf(options, plan),
    ...(selection === undefined ? {} : { selection }),
    machine: Machine.here(),
    target: { name, address, simulated: target.simulated, capabilities: [...capabilities] },
    suites: [...counts].map(([name, scenarios]) => {
      const argument = argumentOf(name)
      return { name, scenarios: scenarios.length, ...(argument === name ? {} : { argument }) }
    })
  } satisfies RunHeader
})

/** The trials that ran when the run was killed, charged by their budgets; what a stopped one had cost is known. */
const interruptedOf = ({ header, interrupted, lost_usd }: Resumed, plan: ReadonlyArray<Plan.Planned>) =>
  InterruptedTrials.together([
    ...interrupted.map(({ scenario, suite }) => {
      const planned = plan.find((one) => one.suite === suite && one.scenario.name === scenario)
      const { limits, trials } = header
      return { trials: 1, most_usd: (planned && Plan.trialBudgetOf(planned, trials, limits.trialBudget_usd)) ?? null }
    }),
    ...lost_usd.map((most_usd) => ({ trials: 1, most_usd }))
  ])

/** The header of a run that goes on: it is the same run, at another time, and may be at another port. */
const resumedHeader = Effect.fnUntraced(function* (
  header: RunHeader,
  resumed: Resumed,
  plan: ReadonlyArray<Plan.Planned>
) {
  const { at, directory, done, header: was, worked_ms } = resumed
  const cut = interruptedOf(resumed, plan)
  const differs = (what: string) => usage(`${what} since the run in ${directory} was killed. Start a new run.`)
  if (header.suitesHash !== was.suitesHash) return yield* differs("The scenarios have changed")
  if (header.tool.version !== was.tool.version) return yield* differs("The version of this program has changed")
  return {
    ...was,
    target: header.target,
    resumed: [
      ...(was.resumed ?? []),
      { at, kept: done.size, after_ms: worked_ms, ...(cut === undefined ? {} : { cut }) }
    ]
  } satisfies RunHeader
})

/** Runs the chosen scenarios on the chosen target and reports; fails with ExitError when something is wrong. */
export const runSuites = (options: RunOptions, args: ReadonlyArray<string>, resumed?: Resumed) =>
  Effect.gen(function* () {
    const { config } = yield* Project
    const unawaited = yield* Unawaited.collect
    const { argumentOf, history, learned, plan, ...part } = yield* choose(options, { was: resumed?.header.shard })
    // a shard is added to the history by merge
    if (options.shard === undefined && resumed?.header.shard === undefined) yield* history.prepare
    const freshOf = Effect.fnUntraced(function* (target: Parameters<typeof headerOf>[1]) {
      return { ...(yield* headerOf(options, target, plan, argumentOf)), ...part, args, suitesHash: Plan.hashOf(plan) }
    })
    const replay = Advice.replay(options, argumentOf, config)
    const reportingOptions = {
      options,
      replay,
      next: Advice.next(options, replay, config),
      reap: Advice.reap(options, config),
      nights: history.nights,
      history: history.history
    }
    const isNight = (options.record || options.shard !== undefined) && resumed === undefined
    /** A night whose service is away is a night too: it is recorded, and notifies. */
    const reportUnstarted = Effect.fnUntraced(function* (why: string) {
      const assumed = TargetSource.assumed(options)
      const lacks = Capabilities.lacking(assumed.info.capabilities)
      yield* reportAway({ header: yield* freshOf(assumed), plan, lacks, history, reportingOptions, why })
    })
    const target = yield* TargetSource.open(options).pipe(
      Effect.tapErrorTag("UserError", (error) =>
        isNight && error.exitCode === 3 ? reportUnstarted(error.message) : Effect.void
      )
    )
    const fresh = yield* freshOf(target)
    let header: RunHeader = fresh
    if (resumed !== undefined) {
      header = yield* resumedHeader(fresh, resumed, plan)
      yield* stopLeftovers(target, resumed)
    }
    const debugging = options.debug ? Debugging.make(target.redact) : Debugging.none

    // from here on Ctrl-C stops scenarios, and the reports are still written
    const { folder, isClean, report } = yield* Effect.gen(function* () {
      const reporting = yield* Reporting.start({ ...reportingOptions, resumed })
      const report = yield* Runner.run({
        header,
        plan,
        contextOf: target.contextOf,
        lacks: target.lacks,
        suspects: history.suspects,
        conclude: history.conclude,
        ...(yield* Inspector.make(target, plan, { directory: reporting.directory, limits: header.limits, unawaited })),
        timeout: options.timeout ?? defaultTimeout(target),
        release: EndOfRun.timeFor(target),
        redact: target.redact,
        learned,
        ...(options.trial === undefined ? {} : { only: options.trial - 1 }),
        emit: (event) => Effect.andThen(debugging.emit(event), reporting.emit(event)),
        ...(target.probe === undefined ? {} : { probe: target.probe }),
        ...(resumed === undefined ? {} : { done: resumed.done, worked_ms: resumed.worked_ms, outages: resumed.outages })
      }).pipe(
        reporting.showing,
        debugging.listening,
        Effect.provideService(PollSchedule.Current, target.pollSchedule),
        traced
      )
      // a report that cannot be written keeps nothing else from being done
      const written = yield* Effect.exit(reporting.finish)
      // what was written last, too
      const keyIn = yield* KeyScan.clean(reporting.directory, target.apiKey)
      if (keyIn.length > 0) yield* Console.error(`Removed the API key from ${keyIn.join(", ")}.`)
      // before the run is over: one that was killed here goes on, and is recorded then
      const recorded = yield* Effect.exit(Effect.andThen(history.record(report, reporting.directory), reporting.end))
      yield* reporting.show(Exit.isSuccess(written) && Exit.isSuccess(recorded))
      yield* Reporting.both(written, recorded)
      return { report, folder: reporting.directory, isClean: keyIn.length === 0 }
    }).pipe(Effect.uninterruptible)

    yield* Notifications.notify(options, report, { nights: history.nights, folder, apiKey: target.apiKey })
    // the report is written: what comes so late is said, and changes nothing
    for (const { sentence } of yield* unawaited.breaches) yield* Console.error(target.redact(sentence))
    if (report.interrupted) return yield* new ExitError({ exitCode: 130 })
    if (!isClean || !Gate.of(report).green) return yield* new ExitError({ exitCode: 1 })
  }).pipe(Effect.scoped)
