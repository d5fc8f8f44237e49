import { Question, type Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ModelCost from "../model/ModelCost.ts"
import type { Repeated } from "./Loops.ts"

/** When a task ends that does not end by itself. */
export interface Limits {
  readonly steps: number
  readonly duration_ms: number
  /** In 1e-12 USD; null for no limit. */
  readonly cost: bigint | null
  /** Limits the tokens, in and out. `null` means no limit. */
  readonly tokens: number | null
  /** Limits the steps that may fail in a row. */
  readonly failures: number
  /**
   * Limits the steps with the same calls on the same page. Three times as many are accepted if numbers on the page change
   * meanwhile.
   */
  readonly repeats: number
}

/** The limits of a task that is given none. */
export const defaults: Limits = {
  steps: 50,
  duration_ms: 30 * 60_000,
  cost: null,
  tokens: null,
  failures: 5,
  repeats: 6
}

/** Returns the smaller of two limits; null is no limit. */
export const least = <A extends bigint | number>(one: A | null, two: A | null): A | null =>
  one === null ? two : two === null || one < two ? one : two

/** The limits within what a turn may use. */
export const within = (limits: Limits, budget: Turn.Budget | null): Limits =>
  budget === null
    ? limits
    : {
        ...limits,
        cost: least(limits.cost, budget.cost === null ? null : ModelCost.parse(budget.cost)),
        tokens: least(limits.tokens, budget.tokens),
        duration_ms: least(limits.duration_ms, budget.duration_ms) ?? limits.duration_ms
      }

/** The progress of a task. */
export interface Spent {
  readonly steps: number
  readonly cost: ModelCost.ModelCost
  readonly tokens: number
  readonly failures: number
  /** The newest failure, as the model received it. */
  readonly lastFailure: string
}

/** A limit that a task has reached: what happened, and what to do. */
export interface Reached {
  readonly category: "steps" | "time" | "cost" | "failures" | "loop"
  readonly failure: Turn.Failure
  readonly error: string
  readonly advice: string
}

const usd = (cost: bigint): string => String(Number(cost) / 1e12)

/** The limit that is reached; undefined while there is none. */
export const reached = (limits: Limits, spent: Spent): Reached | undefined => {
  if (spent.failures >= limits.failures) {
    return {
      category: "failures",
      failure: "failed_steps",
      error:
        spent.failures === 1
          ? `A step failed: ${spent.lastFailure}`
          : `${spent.failures} steps failed one after the other. The last: ${spent.lastFailure}`,
      advice: "Describe in the task how to continue where it got stuck, or use a more capable model."
    }
  }
  if (limits.cost !== null && spent.cost !== null && spent.cost >= limits.cost) {
    return {
      category: "cost",
      failure: "cost_limit",
      error: `The run reached its cost limit of ${usd(limits.cost)} USD.`,
      advice: "Raise the cost limit, split the task, or use a cheaper model."
    }
  }
  if (limits.tokens !== null && spent.tokens >= limits.tokens) {
    return {
      category: "cost",
      failure: "token_limit",
      error: `The run reached its limit of ${limits.tokens} tokens.`,
      advice: "Raise the token limit or split the task."
    }
  }
  if (spent.steps >= limits.steps) {
    return {
      category: "steps",
      failure: "step_limit",
      error: `The run reached its limit of ${limits.steps} steps.`,
      advice: "Raise the step limit, or split the task."
    }
  }
  return undefined
}

/** Returns whether a step is the last one: at the step limit, or if one more failed step ends the task. */
export const isLast = ({ failures: most, steps }: Limits, step: number, failures: number): boolean =>
  step === steps || (failures > 0 && failures === most - 1)

/** Returns the limit of repeated steps if it is reached. */
export const circled = ({ repeats }: Limits, { alike, same }: Repeated): Reached | undefined =>
  same < repeats && alike < repeats * 3
    ? undefined
    : {
        category: "loop",
        failure: "repeated_steps",
        error: `The agent went in circles: it did the same ${Math.max(same, alike)} times.`,
        advice: "Describe in the task how to continue where it got stuck, or use a more capable model."
      }

/** The end of the time of a task. */
export const overdue = ({ duration_ms }: Limits): Reached => ({
  category: "time",
  failure: "time_limit",
  error: `The run reached its time limit of ${Duration.format(Duration.millis(duration_ms))}.`,
  advice: "Raise the time limit, split the task, or use a faster model."
})

/** Part of the time limit that a turn had used when it continued at this time, after a restart of its server. */
export const used_ms = ({ questions = [], startedAt_ms, status }: Turn.Turn, now_ms: number): number => {
  if (status !== "running" || startedAt_ms === null) return 0
  const waits = questions.filter(({ pausesLimits }) => pausesLimits)
  return Math.max(0, now_ms - startedAt_ms - Question.waited_ms(waits, now_ms))
}

/** Waits until a task has worked for a time; `paused_ms` is the time that it has waited for a person so far. */
export const worked = Effect.fnUntraced(function* (duration_ms: number, paused_ms: Effect.Effect<number>) {
  const began_ms = yield* Clock.currentTimeMillis
  const before_ms = yield* paused_ms
  for (;;) {
    const pausedNow_ms = (yield* paused_ms) - before_ms
    const left_ms = duration_ms + pausedNow_ms - ((yield* Clock.currentTimeMillis) - began_ms)
    if (left_ms <= 0) return
    // during a pause, the rest stays the same, however short it is
    yield* Effect.sleep(pausedNow_ms === 0 ? left_ms : Math.max(left_ms, 100))
  }
})
