import type { RunStep } from "@webagent/admin"
import { msOf } from "../../ui/format.ts"

/** A part of the timeline. */
export interface Range {
  readonly from_ms: number
  readonly to_ms: number
}

/** The steps of a run to list. */
export interface StepFilter {
  /** Words that a step has to have, in any order. */
  readonly text: string
  readonly isFailed: boolean
  readonly range: Range | undefined
}

/** Lists every step. */
export const allSteps: StepFilter = { text: "", isFailed: false, range: undefined }

/** The time of a step; one that runs has no end yet. */
export const rangeOf = ({ durationMs, startedAt }: Pick<RunStep, "durationMs" | "startedAt">): Range => {
  const from_ms = msOf(startedAt)
  return { from_ms, to_ms: durationMs === null ? Infinity : from_ms + durationMs }
}

const textOf = ({ address, failure, name, role, summary, title, tool, value }: RunStep): string =>
  [tool, title, summary, role, name, value, address, failure].join("\n").toLowerCase()

/** Returns whether a step fits: by its words, its failure, and the time in which it ran. */
export const fits = (step: RunStep, { isFailed, range, text }: StepFilter): boolean => {
  const { from_ms, to_ms } = rangeOf(step)
  const words = text.toLowerCase().split(/\s+/u).filter(Boolean)
  const content = words.length === 0 ? "" : textOf(step)
  return (
    (!isFailed || step.failure !== null) &&
    (range === undefined || from_ms === range.from_ms || (from_ms < range.to_ms && to_ms > range.from_ms)) &&
    words.every((word) => content.includes(word))
  )
}
