import { Decimal, Question, type Turn } from "@webagent/engine"
import type { ScheduledProgress } from "./ScheduledAgent.ts"
import * as TurnPlan from "./TurnPlan.ts"

/** Returns the first whole millisecond of work at which a turn has cost as much as its limit. */
const reachedAt = (turn: Turn.Turn, limit: Decimal.Decimal, work_ms: number, force: TurnPlan.Force): number => {
  let [before, at] = [-1, Math.ceil(work_ms)]
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (Decimal.isMore(limit, TurnPlan.costAfter(turn, middle, force))) before = middle
    else at = middle
  }
  return at
}

/** Returns the question of a turn that waits for a person at its cost limit; undefined if it won't reach the limit. */
export const question = (turn: Turn.Turn, force: TurnPlan.Force): ScheduledProgress | undefined => {
  const { budget, handOff = Question.defaultHandOff, pausesAtCost = false, questions = [] } = turn
  const limit = budget?.cost ?? null
  if (!pausesAtCost || limit === null || TurnPlan.endedAtCost(turn) !== undefined) return undefined
  if (questions.length >= Question.mostQuestions) return undefined
  const { work } = TurnPlan.times(turn, force)
  if (!Decimal.isMore(TurnPlan.costAfter(turn, work, force), limit)) return undefined
  return {
    at_ms: TurnPlan.workedAt(turn, reachedAt(turn, limit, work, force)),
    progress: () => ({
      used: { cost: limit },
      ask: {
        reason: "max_cost",
        question: Question.aboutCost(limit, limit),
        choices: null,
        askedBy: "rule",
        ...Question.costHandOff(handOff)
      }
    })
  }
}

/** Returns the question that comes first. */
export const earlier = (
  one: ScheduledProgress | undefined,
  two: ScheduledProgress | undefined
): ScheduledProgress | undefined => (one === undefined || (two !== undefined && two.at_ms < one.at_ms) ? two : one)
