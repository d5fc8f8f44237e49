import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { nightlySetting } from "@webagent/nights/NightlySetting"
import { usage } from "@webagent/cli/UserError"
import type * as Selection from "@webagent/report/Selection"
import type { Suite } from "@webagent/scenario"
import * as Config from "../../config/Config.ts"
import { Project, suitesOf } from "../../config/Project.ts"
import * as ScenarioLimits from "../../run/ScenarioLimits.ts"
import type * as ModuleFile from "../../config/ModuleFile.ts"
import { scenarioKey } from "../../run/RunnerOptions.ts"
import * as Plan from "../../run/Plan.ts"
import type { Limits, RunHeader } from "@webagent/report/RunReport"
import * as Shards from "../../run/shards/Shards.ts"
import * as NightHistory from "../../run/NightHistory.ts"
import { program } from "../Program.ts"
import type { RunOptions } from "../RunFlags.ts"
import { isSet } from "@webagent/cli/Terminal"
import * as NewestReport from "../reports/NewestReport.ts"
import * as SuiteSource from "./SuiteSource.ts"
import * as SelectionText from "@webagent/findings/words/SelectionText"

/** The selection of scenarios as the user requested it; undefined if everything is selected. */
export const selectionOf = (options: RunOptions): Selection.Selection | undefined => {
  const { lastFailed, name, owners, scenarios, tags, trial } = options
  const isWhole = !lastFailed && tags.length === 0 && owners.length === 0
  return isWhole && name === undefined && trial === undefined && scenarios === undefined
    ? undefined
    : {
        tags,
        ...(owners.length === 0 ? {} : { owners }),
        ...(scenarios === undefined ? {} : { scenarios: scenarios.length }),
        ...(name === undefined ? {} : { name }),
        ...(lastFailed ? { lastFailed } : {}),
        ...(trial === undefined ? {} : { trial })
      }
}

/**
 * The suites with the limits of the configuration; a limit of no scenario is a mistake where all suites of the
 * configuration are loaded. Those of a run that names others may have none of the limits.
 */
const limited = Effect.fnUntraced(function* (suites: ReadonlyArray<Suite.Suite>, options: RunOptions) {
  const project = yield* Project
  const { config, file } = project
  const limits = Config.limitsOf(config)
  const all = suitesOf(project)
  const isAll = all.every((suite) => options.suites.includes(suite))
  const stranger = ScenarioLimits.stranger(suites, limits)
  if (stranger !== undefined && (all.length === 0 ? options.suites.length === 0 : isAll) && !options.builtIn) {
    const { meant, name } = stranger
    const question = meant === undefined ? "" : ` Did you mean "${meant}"?`
    return yield* usage(
      `${file ?? ""}: limits[${JSON.stringify(name)}]: no suite, scenario or tag has this name.${question} See: ${program} list`
    )
  }
  return ScenarioLimits.apply(suites, limits)
})

/** Refuses in CI a scenario that keeps the others from running: it was left over. */
const mayFocus = Effect.fnUntraced(function* (loaded: ReadonlyArray<SuiteSource.LoadedSuite>, options: RunOptions) {
  if (options.allowOnly || !(yield* isSet("CI"))) return
  for (const { argument, suite } of loaded) {
    const focused = suite.scenarios.find(({ only }) => only)
    if (focused === undefined) continue
    const { name, where = argument } = focused
    return yield* usage(
      `${where}: "${name}" has only: true, so CI would run nothing else. Remove it, or add --allow-only.`
    )
  }
})

/**
 * Loads the suites and what is known of them, and takes of them what is asked for; a UserError when that is nothing. `edition` loads files anew;
 * `was` is how a run that goes on was split, whatever has been learnt since.
 */
export const choose = Effect.fnUntraced(function* (
  options: RunOptions,
  { edition, was }: { readonly edition?: ModuleFile.Edition; readonly was?: RunHeader["shard"] | undefined } = {}
) {
  const { shard, trial, trials } = options
  if (trial !== undefined && trials !== undefined && trial > trials) {
    return yield* usage(`--trial must be ${trials} or less, as --trials is ${trials}; got ${trial}.`)
  }
  if (options.confirm !== undefined && options.history === undefined && !options.record) {
    return yield* usage("--extra-trials compares with earlier nights. Add --history FILE, or --record.")
  }
  if (options.confirm !== undefined && trial !== undefined) {
    return yield* usage("--extra-trials and --trial cannot be combined: --trial replays one trial.")
  }
  const loaded = options.evaluation?.suites ?? (yield* SuiteSource.load(options, edition))
  yield* mayFocus(loaded, options)
  const matching = Plan.make(
    yield* limited(
      loaded.map(({ suite }) => suite),
      options
    ),
    { tags: options.tags, owners: options.owners, ...(options.name === undefined ? {} : { name: options.name }) }
  )
  const failed = options.lastFailed ? yield* NewestReport.failed(options.reportDir) : undefined
  const chosen = options.scenarios && new Set(options.scenarios.map(({ name, suite }) => scenarioKey(suite, name)))
  const all = matching
    .filter(({ scenario, suite }) => failed?.has(scenarioKey(suite, scenario.name)) ?? true)
    .filter(({ scenario, suite }) => chosen?.has(scenarioKey(suite, scenario.name)) ?? true)
    .map((planned) => ({ ...planned, ...ownTrialsOf(options, planned) }))
  if (all.length === 0) {
    const names = loaded.map(({ suite }) => suite.name).join(", ")
    const selection = selectionOf(options)
    return yield* usage(
      selection === undefined
        ? loaded
            .map(({ argument, suite }) => `Suite "${suite.name}" (${argument}) has no scenario. Add one.`)
            .join("\n")
        : `No scenario of ${names} matches ${SelectionText.text(selection)}. See: ${program} list`
    )
  }
  const scenarios = loaded.flatMap(({ suite }) => suite.scenarios.map(({ name }) => ({ suite: suite.name, name })))
  const history = yield* NightHistory.open(options, scenarios)
  const learned = history.learned(options.target)
  const argumentOf = (name: string) => loaded.find(({ suite }) => suite.name === name)?.argument ?? name
  const part = shard === undefined ? { plan: all } : Shards.partOf({ plan: all, learned, trials, shard, was })
  return { argumentOf, history, learned, ...part }
})

/** Time that a run waits for a service that stopped responding, unless `--max-outage` is set. */
const longestOutage = Duration.minutes(30)

/** True if a scenario may cost money at the target. */
const isPaid = ({ allowPaid, target }: Pick<RunOptions, "allowPaid" | "target">, planned: Plan.Planned): boolean =>
  allowPaid && target !== "simulated" && Plan.mayCost(planned)

/** The trials of a scenario that keeps its own number in a recorded night. */
const ownTrialsOf = (options: RunOptions, planned: Plan.Planned): Pick<Plan.Planned, "trials"> => {
  const { trials } = planned.scenario
  return options.keepsDeclaredTrials && (trials > 1 || isPaid(options, planned)) ? { trials } : {}
}

/** The limits that the flags set, with those that hold unless told otherwise. */
export const limitsOf = (options: RunOptions, plan: ReadonlyArray<Plan.Planned>): Limits => ({
  ...(options.maxTime === undefined ? {} : { time_ms: Duration.toMillis(options.maxTime) }),
  ...(options.maxScenarioTime === undefined ? {} : { scenarioTime_ms: Duration.toMillis(options.maxScenarioTime) }),
  ...(options.maxCost === undefined ? {} : { cost_usd: options.maxCost }),
  // a service in this process cannot be away
  ...(options.target === "simulated" ? {} : { outage_ms: Duration.toMillis(options.maxOutage ?? longestOutage) }),
  ...(options.maxRequests === undefined ? {} : { requests: options.maxRequests }),
  ...(options.trialBudget === undefined ? {} : { trialBudget_usd: options.trialBudget }),
  ...(options.confirm === undefined ? {} : { confirm: options.confirm }),
  ...(options.confirm !== undefined && options.maxCost === undefined && plan.some((planned) => isPaid(options, planned))
    ? { paidConfirm: nightlySetting.paidConfirm }
    : {}),
  ...(options.bail === undefined ? {} : { bail: options.bail }),
  reruns: options.reruns ?? Plan.rerunsOf(plan, options.trials)
})
