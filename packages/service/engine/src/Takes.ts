import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Commits from "./Commits.ts"
import * as Decide from "./domain/Decide.ts"
import * as Turn from "./domain/Turn.ts"
import { Agent } from "./ports/Agent.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"
import type { RunningAgents } from "./RunningAgents.ts"

/** Takes sessions for this node. */
export interface Takes extends Pick<Hands, "take" | "resume"> {
  /** Commits a new session with a turn, which this node takes in the same step if it may. */
  readonly create: Commits.Commits["commit"]
  /** Returns whether a take of this session is under way. */
  readonly isTaking: (sessionId: string) => boolean
  /** Waits for the takes that have begun, because each may still start an agent. */
  readonly settled: Effect.Effect<void>
}

interface TakesOptions extends Pick<Commits.Commits, "attempted" | "commit" | "insist"> {
  readonly agents: RunningAgents
  /** Starts the agent of a turn that this node has under a lease. */
  readonly begin: (turn: Turn.Turn, token: number) => void
  readonly isDraining: () => boolean
}

/** Makes the takes of a node. */
export const make = Effect.fnUntraced(function* ({
  agents,
  attempted,
  begin,
  commit,
  insist,
  isDraining
}: TakesOptions) {
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

  const command = { _tag: "Take", node, resumes: agent.resumes } as const

  /** Takes the session's next turn, unless a node that lives has the session; `from` is one that does not. */
  const takeNow = Effect.fnUntraced(function* (sessionId: string, from?: string) {
    const { lease } = (yield* takeOrFindOut(sessionId, from === undefined ? command : { ...command, from })).session
    if (lease === null || lease.node === node || !(yield* work.isLost(lease.node))) return
    yield* takeOrFindOut(sessionId, { ...command, from: lease.node })
  })

  /** If the store's answer is lost, this node may have a lease without knowing. It finds out later. */
  const findOut = (sessionId: string, take: Decide.Command, tried: Decide.Decision) =>
    void fork(asPending(sessionId, Effect.ignore(insist(sessionId, take, tried))))

  const takeOrFindOut = (sessionId: string, take: Decide.Command) =>
    attempted(sessionId, take, (tried) => findOut(sessionId, take, tried))

  const create: Takes["create"] = (decision, further) => {
    const { id } = decision.session
    return asPending(
      id,
      Effect.suspend(() => {
        const isTaken = !isDraining() && work.mayTake()
        const step = isTaken ? Decide.taken(decision, node) : decision
        const created = commit(step, further)
        if (!isTaken) return Effect.tap(created, () => work.offered(id))
        return Effect.tapError(created, (error) =>
          Effect.sync(() => {
            if (error._tag === "StoreUnavailable" && error.applied !== "no") findOut(id, command, step)
          })
        )
      })
    )
  }

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
    create,
    take: (sessionId) => taking(sessionId, takeNow(sessionId)),
    resume: (sessionId) => taking(sessionId, resumeNow(sessionId)),
    isTaking: (sessionId) => [...pending.values()].includes(sessionId),
    settled
  }
  return takes
})
