import * as Money from "@webagent/cli/Money"
import { byCause } from "./Cause.ts"
import type { CountedCause } from "@webagent/report/FailureCause"
import type { OutageToll } from "@webagent/report/Finding"
import type * as Measured from "@webagent/report/Outage"
import * as Moment from "@webagent/report/Moment"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { type Failure, isScored } from "@webagent/report/Trial"

/** A time in which the service could not be asked, or refused because too much was asked. */
export interface Outage {
  /** Milliseconds since 1970, from the first request of a trial that met it to the last. */
  readonly from_ms: number
  /** Infinity where the run ended before. */
  readonly to_ms: number
  /** The outage as the report has it, if the run waited for it. */
  readonly measured?: Measured.Outage
  /** Trials that could not be scored because of it. */
  readonly trials: number
  /** Cost of these trials, in USD. */
  readonly cost_usd: string
  /** Tries that it ended, and that were run again. */
  readonly reruns: number
  /** Requests that were interrupted by it, the most frequent first. */
  readonly operations: ReadonlyArray<CountedCause>
  /** The scenarios of these trials and tries. */
  readonly results: ReadonlySet<ScenarioResult>
}

/** A try that only the infrastructure ended. */
interface Met {
  readonly from_ms: number
  readonly at_ms: number
  readonly isLimit: boolean
  readonly isRerun: boolean
  readonly cost_usd: string
  readonly failure: Failure
  readonly result: ScenarioResult
}

/**
 * Time between two failures, without a trial that the service completed, within which they belong to the same outage.
 */
const pause_ms = 60_000

const metBy = (report: RunReport, result: ScenarioResult): ReadonlyArray<Met> => {
  const met = (
    tried: { started_ms: number; duration_ms: number; failure?: Failure; cost_usd?: string },
    isRerun: boolean
  ) => {
    const { cost_usd = "0", failure } = tried
    if (failure === undefined) return []
    const at_ms = Moment.of(report, result, tried.started_ms + tried.duration_ms)
    const { request } = failure
    return [
      {
        from_ms: at_ms - Math.min(request?.duration_ms ?? 0, tried.duration_ms),
        at_ms,
        isLimit: request?.status === 429,
        isRerun,
        cost_usd,
        failure,
        result
      }
    ]
  }
  return result.trials.flatMap((trial) => [
    ...trial.reruns.flatMap((rerun) => met(rerun, true)),
    ...(trial.verdict === "infra" ? met(trial, false) : [])
  ])
}

/** True if the service was available for a whole trial between two moments. */
const servedBetween = (report: RunReport) => {
  const served = report.results.flatMap((result) =>
    result.trials.filter(isScored).map((trial) => ({
      from_ms: Moment.of(report, result, trial.started_ms),
      to_ms: Moment.of(report, result, trial.started_ms + trial.duration_ms)
    }))
  )
  return (from_ms: number, to_ms: number) => served.some((trial) => from_ms <= trial.from_ms && trial.to_ms <= to_ms)
}

const outageOf = (all: ReadonlyArray<Met>): Outage => {
  const operations = byCause(
    all.map(({ failure }) => failure),
    "infra"
  )
  const again = all.filter(({ isRerun }) => isRerun).length
  return {
    from_ms: Math.min(...all.map(({ from_ms }) => from_ms)),
    to_ms: Math.max(...all.map(({ at_ms }) => at_ms)),
    trials: all.length - again,
    cost_usd: Money.sum(all.map(({ cost_usd }) => cost_usd)),
    reruns: again,
    operations: operations.toSorted((one, other) => other.count - one.count),
    results: new Set(all.map(({ result }) => result))
  }
}

/**
 * The outages of a run in their order in time: those that it has waited for, and others that its trials met. A 429 and a service that is away are two; of one kind those
 * are one between which less than a minute passed, or no trial that the service served.
 */
export const of = (report: RunReport): ReadonlyArray<Outage> => {
  const all = report.results.flatMap((result) => metBy(report, result))
  const wasServed = servedBetween(report)
  const measured = (report.outages ?? []).map((one) => {
    const [from_ms, to_ms] = [Date.parse(one.from), one.to === null ? Infinity : Date.parse(one.to)]
    const its = all.filter((one) => !one.isLimit && one.at_ms >= from_ms && one.from_ms <= to_ms)
    return { its, outage: { ...outageOf(its), from_ms, to_ms, measured: one } }
  })
  const met = all.filter((one) => !measured.some(({ its }) => its.includes(one)))
  const inferred = [...Map.groupBy(met, ({ isLimit }) => isLimit).values()].flatMap((kind) => {
    const outages: Array<Array<Met>> = []
    let last_ms = 0
    for (const one of kind.toSorted((a, b) => a.at_ms - b.at_ms)) {
      const isOver = one.from_ms - last_ms >= pause_ms && wasServed(last_ms, one.from_ms)
      if (outages.length === 0 || isOver) outages.push([one])
      else outages.at(-1)?.push(one)
      last_ms = one.at_ms
    }
    return outages.map(outageOf)
  })
  return [...measured.map(({ outage }) => outage), ...inferred].toSorted((one, other) => one.from_ms - other.from_ms)
}

/** The facts of an outage. */
export const tollOf = ({
  cost_usd,
  from_ms,
  measured,
  operations,
  reruns,
  results,
  to_ms,
  trials
}: Outage): OutageToll => ({
  from: new Date(from_ms).toISOString(),
  until: to_ms === Infinity ? null : new Date(to_ms).toISOString(),
  ...(measured === undefined ? {} : { why: measured.why }),
  trials,
  cost_usd,
  reruns,
  operations,
  scenarios: results.size
})
