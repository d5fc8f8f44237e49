import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Turn from "./domain/Turn.ts"
import type { Execution } from "./ports/Agent.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store } from "./ports/Store.ts"
import type { RunningAgents } from "./RunningAgents.ts"

/** Tells the agents of this node that their turns ask a person, or that the wait is over. */
export interface Questions {
  /** Receives each turn of this node whose questions have changed, as it is stored. */
  readonly changed: (execution: Execution, turn: Turn.Turn) => void
  /** Finds changes that another node has made. It reads the store at most every 5 seconds. */
  readonly look: Effect.Effect<void>
  /** As `look`, but reads the store immediately. */
  readonly lookNow: Effect.Effect<void>
}

interface QuestionsOptions {
  readonly agents: RunningAgents
  /** Tells an agent. */
  readonly changed: (execution: Execution, turn: Turn.Turn) => void
}

/** Number of waiting turns that one look reads. A later look finds the others. */
const most = 500

/** Makes the questions of a node. */
export const make = Effect.fnUntraced(function* ({ agents, changed: tell }: QuestionsOptions) {
  const store = yield* Store
  const node = yield* NodeId
  /** The agents here whose turns wait, by the turns' ids. */
  const waiting = new Map<string, Execution>()

  const changed: Questions["changed"] = (execution, turn) => {
    if (Turn.waitingFor(turn) === null) waiting.delete(turn.id)
    else waiting.set(turn.id, execution)
    tell(execution, turn)
  }

  const [look, invalidate] = yield* Effect.cachedInvalidateWithTTL(
    Effect.gen(function* () {
      const { rows } = yield* store.lists.turns({ waiting: true, node }, null, most)
      for (const turn of rows) {
        const execution = agents.get(turn.sessionId)
        if (execution?.turn.id === turn.id && !waiting.has(turn.id)) changed(execution, turn)
      }
      for (const [id, execution] of waiting) {
        if (rows.some((turn) => turn.id === id)) continue
        const turn = Option.getOrUndefined(yield* store.turn(id))
        waiting.delete(id)
        if (turn !== undefined) changed(execution, turn)
      }
    }).pipe(Effect.ignore),
    "5 seconds"
  )

  const questions: Questions = { changed, look, lookNow: Effect.andThen(invalidate, look) }
  return questions
})
