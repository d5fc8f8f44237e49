import type { TargetInfo } from "@webagent/scenario"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { usage } from "@webagent/cli/UserError"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import { conclude } from "@webagent/findings/Conclusion"
import { statusOf } from "@webagent/report/Finding"
import * as Machine from "@webagent/report/Machine"
import * as Checkout from "../../run/Checkout.ts"
import * as Plan from "../../run/Plan.ts"
import type { Revisions } from "@webagent/report/Revision"
import type { RunHeader } from "@webagent/report/RunReport"
import { withoutAddress } from "@webagent/report/StoredArgument"
import type { Target } from "../../targets/Target.ts"
import * as Unawaited from "../../observe/Unawaited.ts"
import { choose, limitsOf, selectionOf } from "../selection/ChosenScenarios.ts"
import { ExitError, servesUntilStopped } from "@webagent/cli/ExitCode"
import { version } from "../Program.ts"
import type { Resumed } from "../Resumed.ts"
import type { RunOptions } from "../RunFlags.ts"
import { awayReport } from "./awayReport.ts"
import * as RunSession from "./RunSession.ts"
import { stopLeftovers } from "./stopLeftovers.ts"
import * as Capabilities from "../../targets/Capabilities.ts"
import * as TargetSource from "../TargetSource.ts"
import * as BreachText from "@webagent/findings/words/BreachText"

/** Builds the header of a run. `argumentOf` returns the argument for a suite on the command line. */
export const headerOf = Effect.fnUntraced(function* (
  options: RunOptions,
  target: Pick<Target, "simulated"> & { readonly info: Pick<TargetInfo, "address" | "capabilities" | "name"> },
  plan: ReadonlyArray<Plan.Planned>,
  argumentOf: (suite: string) => string
) {
  const counts = Map.groupBy(plan, ({ suite }) => suite)
  const { capabilities } = target.info
  const { address, name } = options.evaluation?.target ?? target.info
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

/** The code of a run: commits of suites and harness, and the version of the service. */
const revisionsOf = Effect.fnUntraced(function* (
  { serviceVersion }: Pick<RunOptions, "serviceVersion">,
  target: Pick<Target, "version">
) {
  const [suites, harness] = yield* Effect.all([Checkout.suites, Checkout.harness], { concurrency: 2 })
  const service = serviceVersion === undefined ? target.version : { version: serviceVersion }
  return {
    ...(suites === undefined ? {} : { suites }),
    ...(harness === undefined ? {} : { harness }),
    ...(service === undefined ? {} : { service })
  } satisfies Revisions
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

/** The byte that a terminal in raw mode sends for Ctrl-C. */
const interruptKey = "\u0003"

/** Serves the simulated service of a finished run until Ctrl-C, which ends the command with the exit code of the run. */
const keepOpen = Effect.fnUntraced(function* (
  { info, settle }: Pick<Target, "info" | "settle">,
  seed: number,
  exitCode: number
) {
  if (settle !== undefined) yield* settle(seed)
  yield* Console.log(`console  ${info.address}/console   (the suites' runs, and a form to start more; Ctrl-C stops it)`)
  servesUntilStopped.exitCode = exitCode
  servesUntilStopped.now = true
  // the terminal would send Ctrl-C to npm, too, which then ends with a code of its own
  if (process.stdin.isTTY) {
    process.stdin.setRawMode(true).on("data", (keys) => {
      if (keys.includes(interruptKey)) process.kill(process.pid, "SIGINT")
    })
  }
  return yield* Effect.never
})

/** Bound of a random seed. */
const seedBound = 2 ** 31

/** The seed of a person's own runs: as given, otherwise random, so that an old link never opens another run. */
const ownSeed = (seed: number, args: ReadonlyArray<string> = []) =>
  args.some((word) => /^--seed(?:=|$)/u.test(word)) ? Effect.succeed(seed) : Random.nextIntBetween(1, seedBound)

/** Runs the chosen scenarios on the chosen target and reports; fails with ExitError when something is wrong. */
export const runSuites = (
  options: RunOptions & { readonly keepOpen?: boolean | undefined },
  /** The words of the command line; undefined if no words of `run` would have these options. */
  args?: ReadonlyArray<string>,
  resumed?: Resumed
) =>
  Effect.gen(function* () {
    const unawaited = yield* Unawaited.collect
    const { argumentOf, history, learned, plan, ...part } = yield* choose(options, {
      was: resumed?.header.shard
    })
    // a shard is added to the history by merge
    if (options.shard === undefined && resumed?.header.shard === undefined) yield* history.prepare
    const freshOf = Effect.fnUntraced(function* (target: Parameters<typeof headerOf>[1] & Pick<Target, "version">) {
      const header = yield* headerOf(options, target, plan, argumentOf)
      const revisions = yield* revisionsOf(options, target)
      const words = args === undefined ? {} : { args: args.map(withoutAddress) }
      return { ...header, revisions, ...part, ...words, suitesHash: Plan.hashOf(plan) }
    })
    const session = (run?: Resumed) => RunSession.make({ options, argumentOf, history, resumed: run })
    const isNight = (options.record || options.shard !== undefined) && resumed === undefined
    /** A run whose service is unavailable from the start is a run, too: it's recorded and notifies. */
    const reportUnstarted = Effect.fnUntraced(function* (why: string) {
      const assumed = TargetSource.assumed(options)
      const lacks = Capabilities.lacking(assumed.info.capabilities)
      const report = conclude(history.conclude(awayReport({ header: yield* freshOf(assumed), plan, lacks, why })))
      const { finish, replayed } = yield* session()
      yield* replayed(report)
      yield* finish(report)
    }, Effect.uninterruptible)
    const target = yield* TargetSource.open(options).pipe(
      Effect.tapErrorTag("UserError", (error) =>
        isNight && error.exitCode === 3 ? reportUnstarted(error.problem ?? error.message) : Effect.void
      )
    )
    const fresh = yield* freshOf(target)
    let header: RunHeader = fresh
    if (resumed !== undefined) {
      header = yield* resumedHeader(fresh, resumed, plan)
      yield* stopLeftovers(target, resumed)
    }

    // from here on Ctrl-C stops scenarios, and the reports are still written
    const { isClean, report } = yield* Effect.gen(function* () {
      const { execute, finish } = yield* session(resumed)
      const report = yield* execute({ target, header, plan, unawaited, learned })
      return { report, isClean: yield* finish(report, target) }
    }).pipe(Effect.uninterruptible)

    // the report is written: what comes so late is printed, and changes nothing
    for (const breach of yield* unawaited.breaches) yield* Console.error(target.redact(BreachText.text(breach)))
    if (report.interrupted) return yield* new ExitError({ exitCode: 130 })
    // failed tasks are the result of an evaluation, and no failure of the command
    const hasFailed = !isClean || (options.evaluation === undefined && statusOf(report.findings ?? []) === "failed")
    if (options.keepOpen === true && options.target === "simulated")
      return yield* keepOpen(target, yield* ownSeed(options.seed, args), hasFailed ? 1 : 0)
    if (hasFailed) return yield* new ExitError({ exitCode: 1 })
  }).pipe(Effect.scoped)
