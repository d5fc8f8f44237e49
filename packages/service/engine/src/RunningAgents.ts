import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { SessionState } from "./domain/Decide.ts"
import type { Execution } from "./ports/Agent.ts"

/** The agents that run at this node, by session. */
export interface RunningAgents {
  readonly get: (sessionId: string) => Execution | undefined
  readonly all: () => ReadonlyArray<Execution>
  readonly isEmpty: () => boolean
  readonly add: (execution: Execution) => void
  /** Removes the agent of a session. Waits for the session continue until `release`, since another agent may follow. */
  readonly remove: (sessionId: string) => void
  /** Ends the waits for a session without an agent. */
  readonly release: (sessionId: string) => void
  /** Removes an agent and stops it, because another node has its session. */
  readonly drop: (execution: Execution) => void
  /** The state of a session with an agent here, as this node stored it last. The store may have a later one. */
  readonly state: (sessionId: string) => SessionState | undefined
  readonly remember: (state: SessionState) => void
  readonly forget: (sessionId: string) => void
  /** Waits until no agent runs for a session. */
  readonly untilReleased: (sessionId: string) => Effect.Effect<void>
}

/** Makes an empty set of agents. */
export const make = (): RunningAgents => {
  const executions = new Map<string, Execution>()
  const states = new Map<string, SessionState>()
  const waits = new Map<string, Deferred.Deferred<void>>()

  const release = (sessionId: string) => {
    const wait = waits.get(sessionId)
    if (wait === undefined || executions.has(sessionId)) return
    waits.delete(sessionId)
    Deferred.doneUnsafe(wait, Effect.void)
  }

  return {
    get: (sessionId) => executions.get(sessionId),
    all: () => [...executions.values()],
    isEmpty: () => executions.size === 0,
    add: (execution) => void executions.set(execution.sessionId, execution),
    remove: (sessionId) => void executions.delete(sessionId),
    release,
    drop: (execution) => {
      if (executions.get(execution.sessionId) !== execution) return
      executions.delete(execution.sessionId)
      states.delete(execution.sessionId)
      release(execution.sessionId)
      execution.abort()
    },
    state: (sessionId) => states.get(sessionId),
    remember: (state) => {
      const { id, revision } = state.session
      // the response of a commit may come after that of a later one
      if (revision > (states.get(id)?.session.revision ?? 0)) states.set(id, state)
    },
    forget: (sessionId) => void states.delete(sessionId),
    untilReleased: (sessionId) =>
      Effect.suspend(() => {
        if (!executions.has(sessionId)) return Effect.void
        const wait = waits.get(sessionId) ?? Deferred.makeUnsafe<void>()
        waits.set(sessionId, wait)
        return Deferred.await(wait)
      })
  }
}
