import { FinishedTurns, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { endings } from "./monitoring.ts"

/** The owner's name of a key that was set with `--api-key`: its hash must not be readable at `/metrics`. */
const flagKey = /^key:/u

/** Maximum number of key names, and of model names, in the metrics. Later ones count as `other`. */
const mostNames = 200

/** Limits the values of a label, because each value is a time series that stays until the process exits. */
const makeLabel = () => {
  const names = new Set<string>()
  return (name: string): string => {
    if (names.size < mostNames) names.add(name)
    return names.has(name) ? name : "other"
  }
}

const isEnding = (status: string): status is keyof typeof endings => status in endings

const counter = (name: string, description: string, attributes: Readonly<Record<string, string>>) =>
  Metric.counter(name, { description, attributes, incremental: true })

/** The time from the create of a run to its end, in milliseconds. */
const durationOf = ({ createdAt_ms, finishedAt_ms }: Turn.Turn): number =>
  (finishedAt_ms ?? createdAt_ms) - createdAt_ms

const log = (turn: Turn.Turn) =>
  Effect.logWithLevel(turn.status === "failed" ? "Warn" : "Info")("Run finished").pipe(
    Effect.annotateLogs({
      run: turn.id,
      key: turn.owner ?? "none",
      status: turn.status,
      reason: Turn.reasonOf(turn),
      model: turn.model,
      steps: turn.steps,
      usd: turn.cost ?? "unknown",
      ms: durationOf(turn)
    })
  )

/** Logs and counts each run that finishes at this server. The error message stays in the database: it can contain secrets. */
export const layerFinishedRuns = Layer.sync(FinishedTurns, () => {
  const keyLabel = makeLabel()
  const modelLabel = makeLabel()
  const makeCounters = (model: string, key: string, outcome: Readonly<Record<string, string>>) => ({
    runs: [
      counter("webagent_run_outcomes_total", "Finished runs by reason and model", outcome),
      // only callers with a key see metrics with the label `key`
      counter("webagent_key_run_outcomes_total", "Finished runs by API key", { ...outcome, key })
    ],
    usd: [
      counter("webagent_run_cost_usd_total", "Cost of finished runs in USD by model", { model }),
      counter("webagent_key_run_cost_usd_total", "Cost of finished runs in USD by API key", { model, key })
    ]
  })
  // making a counter takes longer than an update
  const counters = new Map<string, ReturnType<typeof makeCounters>>()
  const count = (turn: Turn.Turn) => {
    const model = modelLabel(turn.model)
    const key = keyLabel(turn.owner === null ? "none" : flagKey.test(turn.owner) ? "--api-key" : turn.owner)
    const outcome = { status: turn.status, reason: Turn.reasonOf(turn), model }
    const labels = JSON.stringify([key, outcome])
    const existing = counters.get(labels) ?? makeCounters(model, key, outcome)
    counters.set(labels, existing)
    const usd = Number(turn.cost ?? 0)
    return Effect.all(
      [
        isEnding(turn.status) ? Metric.update(endings[turn.status], 1) : Effect.void,
        ...existing.runs.map((each) => Metric.update(each, 1)),
        ...existing.usd.map((each) => Metric.update(each, usd))
      ],
      { discard: true }
    )
  }
  return (turn) => Effect.andThen(count(turn), log(turn))
})
