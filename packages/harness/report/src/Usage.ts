import * as Money from "@webagent/cli/Money"
import { counted, duration, number } from "@webagent/cli/Text"
import type { RunReport, ScenarioResult } from "./RunReport.ts"
import { isOpen, type Trial } from "./Trial.ts"

/** Usage of the confirm trials of a run, which other nights do not have. */
interface Confirming {
  readonly trials: number
  readonly requests: number
  readonly cost_usd: string
  readonly duration_ms: number
}

const confirmTrialsOf = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<Trial> =>
  results.flatMap(({ confirm }) => confirm?.trials ?? [])

const isRun = ({ verdict }: Trial): boolean => verdict !== "skipped"

/** When the first confirm trial began, which is after all planned ones; the end of a run without. */
const plannedUntil = (results: ReadonlyArray<ScenarioResult>, duration_ms: number): number =>
  Math.min(
    duration_ms,
    ...confirmTrialsOf(results)
      .filter(isRun)
      .map(({ reruns: [first], started_ms }) => first?.started_ms ?? started_ms)
  )

/** Usage of the confirm trials of a run; undefined if none ran. */
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

/** A figure of a run, and its part that confirm trials used: `0.54 USD simulated`, `0.20 of it to confirm`. */
interface Used {
  readonly all: string
  readonly confirm?: string
}

/** Usage of a run. */
export const of = (report: RunReport): Readonly<Record<"requests" | "time" | "cost", Used>> => {
  const { cost_usd, counts, duration_ms, header, leftovers = [] } = report
  const part = confirming(report)
  const money = `${Money.rounded(cost_usd)}${header.target.simulated ? " simulated" : ""}${leftovers.some(isOpen) ? " so far" : ""}`
  const some = (all: string, used: string | undefined, pronoun = "it"): Used =>
    used === undefined ? { all } : { all, confirm: `${used} of ${pronoun} to confirm` }
  return {
    requests: some(
      counted(counts.requests, "request"),
      part === undefined || part.requests === 0 ? undefined : number(part.requests),
      "them"
    ),
    time: some(
      duration(duration_ms),
      part === undefined || part.duration_ms === 0 ? undefined : duration(part.duration_ms)
    ),
    cost: some(
      money,
      part === undefined || part.cost_usd === "0" ? undefined : Money.rounded(part.cost_usd).replace(" USD", "")
    )
  }
}

/** `0.54 USD simulated, 0.20 of it to confirm`. */
export const text = ({ all, confirm }: Used): string => (confirm === undefined ? all : `${all}, ${confirm}`)

/** `36 trials + 10 to confirm`, with those that were planned and not run: `28 of 36 trials`. */
export const trials = (report: RunReport, unrun = 0): string => {
  const confirm = confirming(report)?.trials ?? 0
  const planned = report.counts.trials - confirm
  return `${unrun === 0 ? "" : `${number(planned)} of `}${counted(planned + unrun, "trial")}${confirm === 0 ? "" : ` + ${number(confirm)} to confirm`}`
}
