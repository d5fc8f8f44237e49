import * as Result from "effect/Result"
import * as Money from "@webagent/cli/Money"
import * as Outage from "@webagent/report/Outage"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import {
  allTrialsOf,
  countsOf,
  type RunHeader,
  type RunReport,
  type ScenarioResult,
  unrun
} from "@webagent/report/RunReport"
import { scenarioKey } from "../RunnerOptions.ts"
import * as NightLimits from "./NightLimits.ts"
import type { Trial } from "@webagent/report/Trial"

/** The report of one shard, and the folder that it lies in. */
export interface ShardReport {
  readonly directory: string
  readonly report: RunReport
  /** True if the folder has this file of the report. */
  readonly has: (file: string) => boolean
}

/** A trace of a shard, and where it goes: both below the folder of a report. */
interface MovedTrace {
  readonly directory: string
  readonly from: string
  readonly to: string
}

/** Result of merging shards. */
export interface Merged {
  readonly report: RunReport
  readonly traces: ReadonlyArray<MovedTrace>
  /** The same trial of a shard as it is in the whole. */
  readonly trialOf: (directory: string, trial: Trial) => Trial
  /** The shards that are not there, by number. */
  readonly missing: ReadonlyArray<number>
}

type Split = NonNullable<RunHeader["shard"]>

const listed = (numbers: ReadonlyArray<number>): string =>
  numbers.length < 2 ? String(numbers[0] ?? "") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`

/** A result whose trials, extra trials among them, are as they are in the whole. */
export const movedResult = (result: ScenarioResult, of: (trial: Trial) => Trial): ScenarioResult => ({
  ...result,
  trials: result.trials.map(of),
  ...(result.confirm === undefined ? {} : { confirm: { ...result.confirm, trials: result.confirm.trials.map(of) } })
})

/** Properties that all shards of one run have in common, with the words for an error if two differ. */
const common: ReadonlyArray<readonly [what: string, of: (header: RunHeader, shard: Split) => unknown]> = [
  ["number of shards", (_, { of }) => of],
  ["version of this program", ({ tool }) => tool.version],
  ["seed", ({ seed }) => seed],
  ["number of trials", ({ trials }) => trials],
  ["selection of scenarios", ({ selection }) => selection ?? null],
  // each simulated service has an address of its own
  ["target", ({ target }) => (target.simulated ? "simulated" : target.address)],
  ["target's abilities", ({ target }) => target.capabilities.toSorted()],
  ["split of the scenarios", (_, { plan }) => plan],
  ["version of the scenarios", (_, { suitesHash }) => suitesHash ?? ""]
]

// a folder of the night before may still lie where the shards of this one are looked for
const longestApart_ms = 86_400_000

const beganAt_ms = ({ report }: ShardReport) => Date.parse(report.header.startedAt)

/** The reason why these are not the shards of one run, each exactly once; undefined if they are. */
const mismatch = (shards: ReadonlyArray<ShardReport & { readonly shard: Split }>): string | undefined => {
  const [first, ...rest] = shards
  if (first === undefined) return "No shards to merge."
  const seen = new Map<number, string>()
  for (const { directory, shard } of shards) {
    const other = seen.get(shard.index)
    if (other !== undefined) return `${other} and ${directory} are both shard ${shard.index}: leave one out.`
    seen.set(shard.index, directory)
  }
  for (const { directory, report, shard } of rest) {
    for (const [what, of] of common) {
      if (JSON.stringify(of(report.header, shard)) === JSON.stringify(of(first.report.header, first.shard))) continue
      return `${first.directory} and ${directory} are not shards of one run: they have another ${what}.`
    }
  }
  const [oldest, ...later] = shards.toSorted((a, b) => beganAt_ms(a) - beganAt_ms(b))
  const newest = later.at(-1)
  if (oldest !== undefined && newest !== undefined && beganAt_ms(newest) - beganAt_ms(oldest) > longestApart_ms) {
    return `${oldest.directory} and ${newest.directory} are not shards of one run: they began more than a day apart.`
  }
  for (const { directory, report, shard } of shards) {
    const own = (shard.plan ?? []).filter((planned) => planned.shard === shard.index)
    const has = new Set(report.results.map(({ name, suite }) => scenarioKey(suite, name)))
    if (own.length !== report.results.length || own.some(({ name, suite }) => !has.has(scenarioKey(suite, name)))) {
      return `${directory} does not hold the scenarios of shard ${shard.index}: was its report changed?`
    }
  }
  return undefined
}

const absent = (suite: string, name: string, shard: number): ScenarioResult =>
  unrun({ suite, name, tags: [], needs: [] }, 0, { _tag: "MissingShard", shard })

const headerOf = (
  shards: ReadonlyArray<ShardReport>,
  plan: NonNullable<Split["plan"]>,
  total: NightLimits.TotalLimits
): RunHeader | undefined => {
  const [first] = shards.toSorted((a, b) => (a.report.header.startedAt < b.report.header.startedAt ? -1 : 1))
  if (first === undefined) return undefined
  const { args: _args, machine, resumed: _resumed, shard: _shard, suitesHash: _hash, ...header } = first.report.header
  const suites = shards.flatMap(({ report }) => report.header.suites)
  const words = new Map(suites.map(({ argument, name }) => [name, argument]))
  const isAlike = shards.every(
    ({ report }) =>
      JSON.stringify(report.header.machine) === JSON.stringify(machine) &&
      // concurrency is part of how long things take
      report.header.concurrency === header.concurrency
  )
  return {
    ...header,
    limits: NightLimits.of(
      shards.map(({ report }) => report),
      total
    ),
    ...(machine === undefined || !isAlike ? {} : { machine }),
    suites: [...Map.groupBy(plan, ({ suite }) => suite)].map(([name, of]) => {
      const argument = words.get(name)
      return { name, scenarios: of.length, ...(argument === undefined ? {} : { argument }) }
    })
  }
}

/**
 * The shards of one run as the run that they are: each shard once, results in the order of the suites, traces numbered
 * anew. What a missing shard should have run is skipped, which makes the whole no measure for others. The limits are those
 * of `options`, or else the sum of the shards' limits. The failure is a sentence.
 */
export const merge = (
  reports: ReadonlyArray<ShardReport>,
  options: { readonly allowMissing: boolean; readonly limits?: NightLimits.TotalLimits }
): Result.Result<Merged, string> => {
  const shards: Array<ShardReport & { readonly shard: Split }> = []
  for (const one of reports) {
    const { shard } = one.report.header
    if (shard?.plan === undefined) return Result.fail(`${one.directory} is not a shard: it was run without --shard.`)
    shards.push({ ...one, shard })
  }
  shards.sort((a, b) => a.shard.index - b.shard.index)
  const why = mismatch(shards)
  if (why !== undefined) return Result.fail(why)
  const { of = 0, plan = [] } = shards[0]?.shard ?? {}
  const total = options.limits ?? {}
  const header = headerOf(shards, plan, total)
  if (header === undefined) return Result.fail("No shards to merge.")

  const there = new Map(shards.map((one) => [one.shard.index, one]))
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter((index) => !there.has(index))
  if (missing.length > 0 && !options.allowMissing) {
    const [are, noun] = missing.length === 1 ? ["is", "shard"] : ["are", "shards"]
    return Result.fail(
      `Of ${of} shards ${noun} ${listed(missing)} ${are} missing. Name every folder, or merge the others with --allow-missing.`
    )
  }

  const traces: Array<MovedTrace> = []
  const moved = new Map<string, string>()
  const nameOf = (directory: string, trace: string) => JSON.stringify([directory, trace])
  const trialOf = (directory: string, trial: Trial): Trial => {
    const { trace: was, ...rest } = trial
    const trace = was === undefined ? undefined : moved.get(nameOf(directory, was))
    return trace === undefined ? rest : { ...rest, trace }
  }
  const results = plan.map(({ name, shard, suite }) => {
    const one = there.get(shard)
    const result = one?.report.results.find((result) => result.suite === suite && result.name === name)
    if (one === undefined || result === undefined) return absent(suite, name, shard)
    for (const { trace } of allTrialsOf(result)) {
      if (trace === undefined || !one.has(trace)) continue
      const to = `traces/${traces.length}.json`
      traces.push({ directory: one.directory, from: trace, to })
      moved.set(nameOf(one.directory, trace), to)
    }
    return movedResult({ ...result, shard }, (trial) => trialOf(one.directory, trial))
  })
  const parts = shards.map(({ report }) => report)
  const figures = SuiteFigures.of(results)
  const leftovers = parts.flatMap((report) => report.leftovers ?? [])
  const outages = Outage.together(parts.flatMap((report) => report.outages ?? []))
  const spent = {
    header,
    duration_ms: Math.max(...parts.map(({ duration_ms }) => duration_ms)),
    counts: countsOf(results),
    cost_usd: Money.sum(results.map(({ cost_usd }) => cost_usd))
  }
  const crossed = NightLimits.crossed(spent, total)
  return Result.succeed({
    report: {
      format: 3,
      ...spent,
      interrupted: parts.some(({ interrupted }) => interrupted),
      ...(crossed.length === 0 ? {} : { crossed }),
      ...(figures === undefined ? {} : { figures }),
      results,
      shards: shards.map(({ report, shard }) => ({
        index: shard.index,
        of: shard.of,
        startedAt: report.header.startedAt,
        duration_ms: report.duration_ms,
        interrupted: report.interrupted,
        ...(report.header.args === undefined ? {} : { args: report.header.args }),
        ...(report.header.resumed === undefined ? {} : { resumed: report.header.resumed })
      })),
      ...(outages.length === 0 ? {} : { outages }),
      breaches: parts.flatMap(({ breaches }) => breaches),
      ...(parts.some((report) => report.leftovers !== undefined) ? { leftovers } : {})
    },
    traces,
    trialOf,
    missing
  })
}
