import type { ModelCall, Run, RunStep } from "@webagent/admin"
import { msOf } from "../../ui/format.ts"

/** A step or model call on the timeline. Places are fractions of its length. */
export interface Bar {
  readonly number: number
  readonly left: number
  readonly width: number
  readonly state: "done" | "running" | "failed"
}

/** The steps and model calls of a run over time. */
export interface Timeline {
  readonly from_ms: number
  readonly to_ms: number
  readonly steps: ReadonlyArray<Bar>
  readonly calls: ReadonlyArray<Bar>
}

type Timed = Pick<RunStep, "number" | "startedAt" | "durationMs" | "failure">

/** Shortest timeline, so that a run of a single moment has a length. */
const shortest_ms = 1000

const endOf = ({ durationMs, startedAt }: Timed) => msOf(startedAt) + (durationMs ?? 0)

/** Outcome of a step or model call. */
export const stateOf = ({ durationMs, failure }: Pick<Timed, "durationMs" | "failure">): Bar["state"] =>
  failure !== null ? "failed" : durationMs === null ? "running" : "done"

/** Title or summary of a step next to its tool, without the tool's name at its start. */
export const textOf = ({ summary, title, tool }: Pick<RunStep, "summary" | "title" | "tool">): string => {
  const text = title ?? summary
  return tool !== null && `${text} `.startsWith(`${tool} `) ? text.slice(tool.length + 1) : text
}

/**
 * Lays steps and model calls out from the start of the run to its end, or to the present while it runs. `now_ms` is the
 * time of this machine, which may be behind that of the server.
 */
export const timelineOf = (
  { finishedAt, startedAt, createdAt }: Pick<Run, "createdAt" | "startedAt" | "finishedAt">,
  steps: ReadonlyArray<RunStep>,
  calls: ReadonlyArray<ModelCall>,
  now_ms = 0
): Timeline => {
  const all: ReadonlyArray<Timed> = [...steps, ...calls]
  const from_ms = all.reduce((least, one) => Math.min(least, msOf(one.startedAt)), msOf(startedAt ?? createdAt))
  const last_ms = finishedAt === null ? now_ms : msOf(finishedAt)
  const to_ms = all.reduce((most, one) => Math.max(most, endOf(one)), Math.max(last_ms, from_ms + shortest_ms))
  const barOf = (one: Timed): Bar => {
    const end_ms = one.durationMs === null ? to_ms : endOf(one)
    return {
      number: one.number,
      left: (msOf(one.startedAt) - from_ms) / (to_ms - from_ms),
      width: (end_ms - msOf(one.startedAt)) / (to_ms - from_ms),
      state: stateOf(one)
    }
  }
  return { from_ms, to_ms, steps: steps.map(barOf), calls: calls.map(barOf) }
}

/** The step that ran at a time: the last one that had begun, or the first one before that. */
export const stepAt = (steps: ReadonlyArray<RunStep>, at_ms: number): RunStep | undefined =>
  steps.findLast(({ startedAt }) => msOf(startedAt) <= at_ms) ?? steps[0]

/** Most time by which a recording may be shorter than its browser's life before it was cut by a limit. */
const slack_ms = 15_000

/**
 * The time at which a recording begins. It ends with its browser, so its length tells it better than the browser's start,
 * which comes some time before the first picture.
 */
export const recordingStart = (
  browser: { readonly startedAt: string; readonly finishedAt: string | null },
  duration_ms: number
): number => {
  const started_ms = msOf(browser.startedAt)
  if (browser.finishedAt === null || !Number.isFinite(duration_ms)) return started_ms
  const start_ms = msOf(browser.finishedAt) - duration_ms
  return start_ms >= started_ms - slack_ms && start_ms <= started_ms + slack_ms ? start_ms : started_ms
}
