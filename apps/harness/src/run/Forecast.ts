import type { Skip } from "@webagent/report/Skip"
import * as Money from "@webagent/cli/Money"
import { median } from "@webagent/statistics/Robust"
import * as Ranking from "./Ranking.ts"
import type { Limits } from "@webagent/report/RunReport"

/** A scenario before anything is sent. */
export interface Candidate extends Ranking.Rankable {
  /** The reason why the target doesn't support it. */
  readonly lacking: Skip | undefined
  /** The longest that one of its trials may take. */
  readonly timeout_ms: number
  /** The maximum cost of one extra trial; undefined where nothing limits it. */
  readonly confirm_usd: string | undefined
}

/** Forecast of a scenario. */
export interface Row {
  readonly candidate: Candidate
  /** Duration of one of its trials in three of four nights; undefined if it is new. */
  readonly trial_ms: number | undefined
  /**
   * The reason why it won't run, or not with all its trials: for certain, or if all scenarios before it reach their
   * maximum duration and cost.
   */
  readonly skip: { readonly why: Skip; readonly certain: boolean } | undefined
}

/** Forecast of a run. */
export interface Forecast {
  /** In the order in which they begin; what the target cannot serve comes last. */
  readonly rows: ReadonlyArray<Row>
  /** True if scenarios are ordered by how much information each provides, because probably not all of them will run. */
  readonly short: boolean
  /** Of what begins for certain or perhaps. */
  readonly trials: number
  /** From begin to end, where anything is known of how long trials take. */
  readonly expected_ms: number | undefined
  /** The same if each trial took all the time that it has, and none ran again. */
  readonly longest_ms: number
  /** Scenarios without a known duration: they count with the median of the others. */
  readonly unknown: number
  /** Upper bound on the cost of everything started, excluding scenarios without a limit. */
  readonly worst_usd: string
  /** Scenarios that may cost, and that nothing bounds; a limit of money keeps them from beginning. */
  readonly unbounded: number
  /** The maximum cost of the extra trials whose cost is limited. */
  readonly confirm_usd: string
}

/** The cost of extra trials if the most expensive scenarios need all that they may have. */
const confirmCostOf = (rows: ReadonlyArray<Row>, { confirm = 0, paidConfirm = confirm }: Limits): string => {
  const each = rows.flatMap(({ candidate }) => candidate.confirm_usd ?? [])
  const mostExpensiveFirst = each.toSorted((one, other) => (Money.isMore(one, other) ? -1 : 1))
  let left = confirm
  return Money.sum(
    mostExpensiveFirst.map((trial_usd) => {
      const trials = Math.min(left, paidConfirm)
      left -= trials
      return Money.share(trial_usd, trials, 1)
    })
  )
}

/** Puts trial after trial where one can begin first; answers when the last of them ends. */
const schedule = (concurrency: number) => {
  const free_ms = Array.from({ length: concurrency }, () => 0)
  return (trials: number, trial_ms: number): number => {
    let last_ms = 0
    for (let trial = 0; trial < trials; trial++) {
      const first = free_ms.indexOf(Math.min(...free_ms))
      const end_ms = (free_ms[first] ?? 0) + trial_ms
      free_ms[first] = end_ms
      last_ms = Math.max(last_ms, end_ms)
    }
    return last_ms
  }
}

/**
 * Forecasts the scenarios that a run starts or skips, with the reasons, its duration and its cost. Sends no request.
 */
export const make = (candidates: ReadonlyArray<Candidate>, limits: Limits, concurrency: number): Forecast => {
  const { cost_usd, requests = Infinity, scenarioTime_ms = Infinity, time_ms = Infinity } = limits
  const served = candidates.filter(({ lacking }) => lacking === undefined)
  const known = served.flatMap(({ learned }) => (learned === undefined ? [] : [learned.duration_p75_ms]))
  const usual_ms = known.length === 0 ? undefined : median(known)
  const put = schedule(concurrency)
  let worst_usd = "0"
  let sent = 0
  let end_ms = 0
  const refused = (candidate: Candidate): Row["skip"] => {
    const { learned, open, worst_usd: worst } = candidate
    if (cost_usd !== undefined) {
      if (worst === undefined) return { why: { _tag: "NoBudget" }, certain: true }
      if (Money.isMore(worst, cost_usd))
        return { why: { _tag: "OverCostLimit", worst_usd: worst, limit_usd: cost_usd }, certain: true }
      const spent = Money.sum([worst_usd, worst])
      if (Money.isMore(spent, cost_usd)) return { why: { _tag: "CostLimit", limit_usd: cost_usd }, certain: false }
    }
    const tooLong = (certain: boolean): Row["skip"] => ({
      why: { _tag: "ScenarioTimeLimit", limit_ms: scenarioTime_ms },
      certain
    })
    const trial_ms = learned?.duration_p75_ms ?? usual_ms ?? 0
    if (learned !== undefined && trial_ms >= scenarioTime_ms) return tooLong(true)
    if (sent >= requests) return { why: { _tag: "RequestLimit", limit: requests }, certain: false }
    const last_ms = put(open, trial_ms)
    if (last_ms > time_ms) {
      end_ms = time_ms
      return { why: { _tag: "TimeLimit", limit_ms: time_ms }, certain: false }
    }
    end_ms = Math.max(end_ms, last_ms)
    sent += open * (learned?.requests ?? 0)
    worst_usd = Money.sum([worst_usd, worst ?? "0"])
    return trial_ms * Math.ceil(open / concurrency) > scenarioTime_ms ? tooLong(false) : undefined
  }
  const rows = Ranking.order(served, limits, concurrency).map((candidate): Row => ({
    candidate,
    trial_ms: candidate.learned?.duration_p75_ms,
    skip: refused(candidate)
  }))
  const began = rows.filter(({ skip }) => skip?.certain !== true)
  const putLongest = schedule(concurrency)
  const longest_ms = began.reduce(
    (last_ms, { candidate }) =>
      Math.max(last_ms, putLongest(candidate.open, Math.min(candidate.timeout_ms, scenarioTime_ms))),
    0
  )
  return {
    rows: [
      ...rows,
      ...candidates.flatMap((candidate): ReadonlyArray<Row> =>
        candidate.lacking === undefined
          ? []
          : [{ candidate, trial_ms: undefined, skip: { why: candidate.lacking, certain: true } }]
      )
    ],
    short: Ranking.isShort(served, limits, concurrency),
    trials: began.reduce((sum, { candidate }) => sum + candidate.open, 0),
    expected_ms: usual_ms === undefined ? undefined : end_ms,
    longest_ms: Math.min(longest_ms, time_ms),
    unknown: began.filter(({ candidate }) => candidate.learned === undefined).length,
    worst_usd: Money.sum(began.flatMap(({ candidate }) => candidate.worst_usd ?? [])),
    unbounded: served.filter(({ worst_usd }) => worst_usd === undefined).length,
    confirm_usd: confirmCostOf(began, limits)
  }
}
