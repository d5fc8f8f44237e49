import { type Asked, type HandedOver, Question, type Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as ModelCost from "../model/ModelCost.ts"
import * as Limits from "./Limits.ts"

interface CostLimitOptions<E> {
  readonly turn: Pick<Turn.Turn, "budget" | "pausesAtCost">
  /** The limit of the server, in 1e-12 USD, which no person can raise; null for no limit. */
  readonly server: bigint | null
  /** Asks a person; null if the turn has asked as often as it may. */
  readonly ask: (asked: Asked) => Effect.Effect<HandedOver | null, E>
}

const parsed = (cost: string | null | undefined) => (cost === null || cost === undefined ? null : ModelCost.parse(cost))

/** Makes the cost limit of a task. A person can raise it if the caller wants the task to wait there. */
export const make = <E>({ ask, server, turn }: CostLimitOptions<E>) => {
  let own = parsed(turn.budget?.cost)
  let isOver = turn.pausesAtCost !== true

  /** Applies the outcome of a question about the limit. */
  const apply = ({ outcome }: HandedOver) => {
    const raised = outcome.kind === "answered" ? Question.raisedCost(outcome.answer, null) : null
    if (raised === null) isOver = true
    else own = ModelCost.parse(raised)
  }

  return {
    apply,
    /** Returns the limit, in 1e-12 USD; null for no limit. */
    current: () => Limits.least(own, server),
    /** Waits until a person raises the limit. False if the task has to end at it. */
    raise: (cost: ModelCost.ModelCost): Effect.Effect<boolean, E> =>
      Effect.suspend(() => {
        // only the operator can raise the limit of the server
        if (isOver || own === null || (server !== null && server <= own)) return Effect.succeed(false)
        const question = Question.aboutCost(cost === null ? null : ModelCost.format(cost), ModelCost.format(own))
        return Effect.map(ask({ reason: "max_cost", question, choices: null, askedBy: "rule" }), (over) => {
          if (over === null) isOver = true
          else apply(over)
          return !isOver
        })
      })
  }
}
