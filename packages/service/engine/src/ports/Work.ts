import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StoreUnavailable } from "./Store.ts"

/** What a node can do about what is offered, or was left behind by one that is lost. */
export interface Hands {
  /**
   * Takes a session that has something to do, under a lease, or does nothing when a node that lives has it. The inner
   * effect ends when this node lets go of the session, with nothing left that it may do.
   */
  readonly take: (sessionId: string) => Effect.Effect<Effect.Effect<void>, StoreUnavailable>
  /** Lets go of what is at work here and was cancelled elsewhere. */
  readonly look: Effect.Effect<void, StoreUnavailable>
  /** The same when another node says that there is something. */
  readonly lookNow: Effect.Effect<void, StoreUnavailable>
  /** Stores that a browser is gone, if its node is lost. */
  readonly reap: (browserId: string) => Effect.Effect<void, StoreUnavailable>
  /** Takes no more turns, neither offered ones nor the next ones of its sessions. */
  readonly drain: Effect.Effect<void>
  /** Ends all agents and browsers here at once: this node is lost, and others have what it held. */
  readonly abandon: Effect.Effect<void>
}

/**
 * The port to whatever says which node works on which session. It may say so twice, or to two nodes: the lease in the
 * session's record decides. It may not forget one.
 */
export class Work extends Context.Service<
  Work,
  {
    /** Inside of the commit that gives a session something to do: a node must take it. */
    readonly offer: (sessionId: string) => Effect.Effect<void, StoreUnavailable>
    /** After that commit, at the node that made it. Nothing is lost without it, things only begin later. */
    readonly offered: (sessionId: string) => Effect.Effect<void>
    /**
     * Whether this node may take what is to be done: its time is not over, so no other node finds it lost with what it
     * takes. To be asked right before it is taken: the answer changes while a store is away, or a machine is frozen.
     */
    readonly mayTake: () => boolean
    /** Whether another node is lost, so that what it held may be taken from it. It is lost for good then. */
    readonly isLost: (node: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Takes offered sessions, and those of lost nodes, until the scope closes. Called once, at the start. */
    readonly serve: (hands: Hands) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@webagent/engine/Work") {}
