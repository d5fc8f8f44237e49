import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Gate } from "./Gate.ts"
import type { Work } from "./Performers.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** What the engine holds in its hands for one session that has something to do. */
export interface Conversation {
  /** The turns that are not terminal. */
  queue: TurnQueue.TurnQueue
  /** The agent that is at work, or does not let go yet; no other one starts before that. */
  work: Work | null
  /** Who wants to change the session and waits for its turn; `null` while nobody changes it. */
  entrants: Array<Deferred.Deferred<void>> | null
}

/** The sessions that have something to do, each changed by one at a time. */
export interface Conversations {
  /** Runs `effect` alone among everything that changes this session, to its end, and not while the gate is held. */
  readonly alone: <A, E>(sessionId: string, effect: (held: Conversation) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Puts a session there as it is, while the gate is held. */
  readonly put: (sessionId: string, queue: TurnQueue.TurnQueue) => Conversation
  readonly entries: () => ReadonlyArray<readonly [string, Conversation]>
  /** Lets all of them go: whoever is at work has nothing to say any more. For while the gate is held. */
  readonly takeAll: () => ReadonlyArray<Conversation>
}

/** No session has anything to do. */
export const make = (gate: Gate): Conversations => {
  const held = new Map<string, Conversation>()

  const put = (sessionId: string, queue: TurnQueue.TurnQueue): Conversation => {
    const opened = { queue, work: null, entrants: null }
    held.set(sessionId, opened)
    return opened
  }

  /** Hands the session on; one with nothing to do is not remembered. */
  const leave = (sessionId: string, conversation: Conversation) => {
    const next = conversation.entrants?.shift()
    if (next !== undefined) return void Deferred.doneUnsafe(next, Effect.void)
    conversation.entrants = null
    if (conversation.work === null && TurnQueue.isEmpty(conversation.queue)) held.delete(sessionId)
  }

  const alone: Conversations["alone"] = (sessionId, effect) =>
    gate.pass(
      Effect.suspend(() => {
        const conversation = held.get(sessionId) ?? put(sessionId, TurnQueue.empty)
        const run = Effect.ensuring(
          Effect.suspend(() => effect(conversation)),
          Effect.sync(() => leave(sessionId, conversation))
        )
        if (conversation.entrants === null) {
          conversation.entrants = []
          return run
        }
        const turn = Deferred.makeUnsafe<void>()
        conversation.entrants.push(turn)
        return Effect.andThen(Deferred.await(turn), run)
      })
    )

  return {
    alone,
    put,
    entries: () => [...held],
    takeAll: () => {
      const all = [...held.values()]
      held.clear()
      return all
    }
  }
}
