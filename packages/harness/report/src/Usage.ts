import * as Money from "@webagent/cli/Money"
import type { RunReport, ScenarioResult } from "./RunReport.ts"
import type { Trial } from "./Trial.ts"

/** Usage of the extra trials of a run, which other nights do not have. */
interface Confirming {
  readonly trials: number
  readonly requests: number
  readonly cost_usd: string
  readonly duration_ms: number
}

const confirmTrialsOf = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Trial> =>
  results.flatMap(({ confirm }) => confirm?.trials ?? [])

/** True if a trial ran, wholly or in part. */
export const isRun = ({ verdict }: Trial): boolean => verdict !== "skipped"

/** When the first extra trial began, which is after all planned ones; the end of a run without. */
const plannedUntil = (results: ReadonlyArray<ScenarioResult>, duration_ms: number): number =>
  Math.min(
    duration_ms,
    ...confirmTrialsOf(results)
      .filter(isRun)
      .map(({ reruns: [first], started_ms }) => first?.started_ms ?? started_ms)
  )

/** Usage of the extra trials of a run; undefined if none ran. */
export const confirming = ({ duration_ms, results, shards }: RunReport): Confirming | undefined => {
  const trials = confirmTrialsOf(results)
  const ran = trials.filter(isRun)
  if (ran.length === 0) return undefined
  // each shard began by itself, and the longest is how long the run took
  const planned_ms =
    shards === undefined
      ? plannedUntil(results, duration_ms)
      : Math.max(
          ...shards.map((one) =>
            plannedUntil(
              results.filter(({ shard }) => shard === one.index),
              one.duration_ms
            )
          )
        )
  return {
    trials: ran.length,
    requests: trials.reduce((sum, { requests }) => sum + requests, 0),
    cost_usd: Money.sum(trials.map(({ cost_usd }) => cost_usd)),
    duration_ms: duration_ms - planned_ms
  }
}
