import * as Money from "@webagent/cli/Money"
import type { RunReport, ScenarioResult, SuiteFigures as Figures } from "@webagent/report/RunReport"
import * as SuiteFigures from "@webagent/report/SuiteFigures"
import { isScored, type Trial } from "@webagent/report/Trial"
import { mean } from "@webagent/statistics/Quantile"

/** The result of one site, or of all. */
export interface EvalRow {
  /** Null for all sites together. */
  readonly suite: string | null
  readonly tasks: number
  readonly passed: number
  readonly scored: number
  /** Trials that the agent reported as a success although the oracle refuted it. */
  readonly claimed: number
  /** Trials without a verdict: the service failed, or the trial was skipped. */
  readonly unscored: number
  /** The mean of the tasks' success rates; null if no trial was scored. */
  readonly rate: number | null
  /** As `rate`, but trials without a verdict count as not passed; 0 without a trial. */
  readonly leastRate: number
  /** 95 % confidence interval of `rate`, for other tasks of the same kind; null of a single task. */
  readonly interval: Figures["interval"]
  /** Cost of all trials in USD, as an exact decimal. */
  readonly cost_usd: string
  /** Mean duration of a scored trial in ms; null without one. */
  readonly duration_ms: number | null
}

const passedShare = ({ trials }: ScenarioResult): number =>
  trials.length === 0 ? 0 : trials.filter(({ verdict }) => verdict === "passed").length / trials.length

const rowOf = (suite: string | null, results: ReadonlyArray<ScenarioResult>): EvalRow => {
  const trials: ReadonlyArray<Trial> = results.flatMap((result) => result.trials)
  const scored = trials.filter(isScored)
  const figures = SuiteFigures.together(suite, results)
  return {
    suite,
    tasks: results.length,
    passed: scored.filter(({ verdict }) => verdict === "passed").length,
    scored: scored.length,
    claimed: scored.filter(({ verdict }) => verdict === "claimed").length,
    unscored: trials.length - scored.length,
    rate: figures?.rate ?? null,
    leastRate: results.length === 0 ? 0 : mean(results.map(passedShare)),
    interval: figures?.interval ?? null,
    cost_usd: Money.sum(results.map(({ cost_usd }) => cost_usd)),
    duration_ms: scored.length === 0 ? null : mean(scored.map(({ duration_ms }) => duration_ms))
  }
}

/** Computes the results of an evaluation: of each site, then of all sites together if there are several. */
export const of = ({ results }: Pick<RunReport, "results">): ReadonlyArray<EvalRow> => {
  const suites = [...Map.groupBy(results, ({ suite }) => suite)]
  const each = suites.map(([suite, of]) => rowOf(suite, of))
  return each.length === 1 ? each : [...each, rowOf(null, results)]
}
