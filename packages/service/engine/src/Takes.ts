import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Commits from "./Commits.ts"
import type * as Decide from "./domain/Decide.ts"
import * as Turn from "./domain/Turn.ts"
import { Agent } from "./ports/Agent.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"
import type { RunningAgents } from "./RunningAgents.ts"

/** Takes sessions for this node. */
export interface Takes extends Pick<Hands, "take" | "resume"> {
  /** Returns whether a take of this session is under way. */
  readonly isTaking: (sessionId: string) => boolean
  /** Waits for the takes that have begun, because each may still start an agent. */
  readonly settled: Effect.Effect<void>
}

interface TakesOptions extends Pick<Commits.Commits, "attempted" | "insist"> {
  readonly agents: RunningAgents
  /** Starts the agent of a turn that this node has under a lease. */
  readonly begin: (turn: Turn.Turn, token: number) => void
  readonly isDraining: () => boolean
}

/** Makes the takes of a node. */
export const make = Effect.fnUntraced(function* ({ agents, attempted, begin, insist, isDraining }: TakesOptions) {
  const agent = yield* Agent
  const store = yield* Store
  const node = yield* NodeId
  const work = yield* Work
  const fork = Effect.runForkWith(yield* Effect.context())
  /** The takes under way, with their sessions. */
  const pending = new Map<Deferred.Deferred<void>, string>()

  const asPending = <A, E>(sessionId: string, take: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<void>()
      pending.set(done, sessionId)
      const leave = Effect.sync(() => {
        pending.delete(done)
        Deferred.doneUnsafe(done, Effect.void)
      })
      return Effect.ensuring(Effect.uninterruptible(take), leave)
    })

  /** A take may add another one, which finds out about it. */
  const settled: Effect.Effect<void> = Effect.suspend(() =>
    pending.size === 0
      ? Effect.void
      : Effect.andThen(Effect.forEach([...pending.keys()], Deferred.await, { discard: true }), settled)
  )

  /** Takes the session's next turn, unless a node that lives has the session; `from` is one that does not. */
  const takeNow = Effect.fnUntraced(function* (sessionId: string, from?: string) {
    const command = { _tag: "Take", node, resumes: agent.resumes } as const
    const { lease } = (yield* takeOrFindOut(sessionId, from === undefined ? command : { ...command, from })).session
    if (lease === null || lease.node === node || !(yield* work.isLost(lease.node))) return
    yield* takeOrFindOut(sessionId, { ...command, from: lease.node })
  })

  /** If the store's answer is lost, this node may have a lease without knowing. It finds out later. */
  const takeOrFindOut = (sessionId: string, command: Decide.Command) =>
    attempted(
      sessionId,
      command,
      (tried) => void fork(asPending(sessionId, Effect.ignore(insist(sessionId, command, tried))))
    )

  /** Carries out `take`, unless this node drains. */
  const taking = (
    sessionId: string,
    take: Effect.Effect<void, Commits.NotChanged>
  ): Effect.Effect<Effect.Effect<void>, StoreUnavailable> =>
    Effect.suspend(() => (isDraining() ? Effect.void : asPending(sessionId, take))).pipe(
      Effect.catch((error) => (error._tag === "StoreUnavailable" ? Effect.fail(error) : Effect.void)),
      Effect.as(agents.untilReleased(sessionId))
    )

  /** Continues the turn of a lease that an earlier engine of this node left in the store; takes any other session. */
  const resumeNow = Effect.fnUntraced(function* (sessionId: string) {
    const state = Option.getOrUndefined(yield* store.sessionState(sessionId))
    const lease = state?.session.lease ?? null
    if (state === undefined || lease?.node !== node) return yield* takeNow(sessionId)
    const held = state.turns.find((turn) => turn.id === lease.turnId && !Turn.isTerminal(turn.status))
    if (held === undefined) return yield* takeNow(sessionId, node)
    begin(held, lease.token)
  })

  const takes: Takes = {
    take: (sessionId) => taking(sessionId, takeNow(sessionId)),
    resume: (sessionId) => taking(sessionId, resumeNow(sessionId)),
    isTaking: (sessionId) => [...pending.values()].includes(sessionId),
    settled
  }
  return takes
})
