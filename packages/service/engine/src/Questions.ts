import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Turn from "./domain/Turn.ts"
import type { Execution } from "./ports/Agent.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import type { RunningAgents } from "./RunningAgents.ts"

/** Tells the agents of this node that their turns ask a person, or that the wait is over. */
export interface Questions {
  /** Receives each turn as an agent here gets it: another node may have asked its question, and may end the wait. */
  readonly follow: (turn: Turn.Turn) => void
  /** Receives each turn of this node whose questions have changed, as it is stored. */
  readonly changed: (execution: Execution, turn: Turn.Turn) => void
  /** Finds changes that another node has made. It reads the store at most every 5 seconds. */
  readonly look: Effect.Effect<void>
  /** As `look`, but reads the store immediately, and fails if it can't. */
  readonly lookNow: Effect.Effect<void, StoreUnavailable>
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
  /** The ids of the turns here that wait, as far as their agents have been told. */
  const waiting = new Set<string>()

  const follow: Questions["follow"] = (turn) => {
    if (Turn.waitingFor(turn) === null) waiting.delete(turn.id)
    else waiting.add(turn.id)
  }

  const changed: Questions["changed"] = (execution, turn) => {
    follow(turn)
    tell(execution, turn)
  }

  /** Tells the agent of a turn about it, if the agent is still here. */
  const tellAgent = (turn: Turn.Turn) => {
    const execution = agents.get(turn.sessionId)
    if (execution?.turn.id === turn.id) changed(execution, turn)
  }

  const [lookAtStore, invalidate] = yield* Effect.cachedInvalidateWithTTL(
    Effect.gen(function* () {
      const { rows } = yield* store.lists.turns({ waiting: true, node }, null, most)
      for (const turn of rows) if (!waiting.has(turn.id)) tellAgent(turn)
      const others = [...waiting].filter((id) => !rows.some((turn) => turn.id === id))
      // one that was asked since the rows were read, or beyond them, waits and is followed again
      for (const id of others) {
        const turn = Option.getOrUndefined(yield* store.turn(id))
        waiting.delete(id)
        if (turn !== undefined) tellAgent(turn)
      }
    }),
    "5 seconds"
  )

  // a server without work reads nothing, and a failed read is repeated by the next look
  const look = Effect.suspend(() =>
    agents.isEmpty() && waiting.size === 0 ? Effect.void : Effect.tapError(lookAtStore, () => invalidate)
  )
  const lookNow = Effect.andThen(invalidate, look)
  return { follow, changed, look: Effect.ignore(look), lookNow } satisfies Questions
})
