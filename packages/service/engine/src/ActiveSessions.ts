import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ReadWriteLock } from "./ReadWriteLock.ts"
import type { Execution } from "./TurnRunner.ts"
import * as TurnQueue from "./TurnQueue.ts"

/** What the engine holds in its hands for one session that has something to do. */
export interface ActiveSession {
  /** The turns that are not terminal. */
  queue: TurnQueue.TurnQueue
  /** The agent that is at work, or does not let go yet; no other one starts before that. */
  execution: Execution | null
  /** Changes of the session that wait for their turn; `null` while no change is under way. */
  entrants: Array<Deferred.Deferred<void>> | null
}

/** The sessions that have something to do, each changed by one at a time. */
export type ActiveSessions = ReturnType<typeof make>

/** No session has anything to do. */
export const make = (lock: ReadWriteLock) => {
  const held = new Map<string, ActiveSession>()

  /** Puts a session there as it is, while the lock is held. */
  const put = (sessionId: string, queue: TurnQueue.TurnQueue): ActiveSession => {
    const opened = { queue, execution: null, entrants: null }
    held.set(sessionId, opened)
    return opened
  }

  /** Hands the session on; one with nothing to do is not remembered. */
  const leave = (sessionId: string, activeSession: ActiveSession) => {
    const next = activeSession.entrants?.shift()
    if (next !== undefined) return void Deferred.doneUnsafe(next, Effect.void)
    activeSession.entrants = null
    if (activeSession.execution === null && TurnQueue.isEmpty(activeSession.queue)) held.delete(sessionId)
  }

  /** Runs `effect` exclusively among everything that changes this session, to its end, and not while the lock is held. */
  const exclusively = <A, E>(
    sessionId: string,
    effect: (held: ActiveSession) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    lock.shared(
      Effect.suspend(() => {
        const activeSession = held.get(sessionId) ?? put(sessionId, TurnQueue.empty)
        const run = Effect.ensuring(
          Effect.suspend(() => effect(activeSession)),
          Effect.sync(() => leave(sessionId, activeSession))
        )
        if (activeSession.entrants === null) {
          activeSession.entrants = []
          return run
        }
        const turn = Deferred.makeUnsafe<void>()
        activeSession.entrants.push(turn)
        return Effect.andThen(Deferred.await(turn), run)
      })
    )

  return {
    exclusively,
    put,
    entries: () => [...held],
    /** Takes all of them out. Agents at work are ignored from then on. Call it while the lock is held. */
    takeAll: () => {
      const all = [...held.values()]
      held.clear()
      return all
    }
  }
}
