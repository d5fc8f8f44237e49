import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StoreUnavailable } from "./Store.ts"

/** Actions of a node on offered sessions, and on work that lost nodes left behind. */
export interface Hands {
  /**
   * Takes a session that has open turns, under a lease. Does nothing when a living node has it. The inner effect ends
   * when this node lets go of the session.
   */
  readonly take: (sessionId: string) => Effect.Effect<Effect.Effect<void>, StoreUnavailable>
  /** As `take`, at the start: continues the turn of a lease that an earlier engine of this node left. */
  readonly resume: Hands["take"]
  /** Stops agents here whose turns were cancelled at another node. */
  readonly look: Effect.Effect<void, StoreUnavailable>
  /** The same after a hint of another node, with nothing remembered of the last look. */
  readonly lookNow: Effect.Effect<void, StoreUnavailable>
  /** Stores the end of a browser whose node is lost. */
  readonly reap: (browserId: string) => Effect.Effect<void, StoreUnavailable>
  /** As `reap`, at the start: opens a browser again that an earlier engine of this node left, if the pool can. */
  readonly resumeBrowser: Hands["reap"]
  /** From now on takes no turn: neither of an offered session nor the next one of a session here. */
  readonly drain: Effect.Effect<void>
  /** Takes turns again after `drain`, unless the engine itself drains. */
  readonly undrain: Effect.Effect<void>
  /** Ends all agents and browsers here at once, because this node is lost and others have its sessions. */
  readonly abandon: Effect.Effect<void>
  /** Number of browsers here that give way to launches, because their sessions have no running turn. */
  readonly idleBrowsers: () => number
}

/**
 * The port to what assigns sessions to nodes. It may assign a session twice, or to two nodes, because the lease in the
 * session's record decides. It must not forget one.
 */
export class Work extends Context.Service<
  Work,
  {
    /** Runs after the commit of a new turn, at the node that made it. Without it the turn only begins later. */
    readonly offered: (sessionId: string) => Effect.Effect<void>
    /**
     * True if this node may take a turn: its own lease is valid, so no other node considers it lost. Check right before
     * each take, because the result changes while the store is unreachable or the machine is frozen.
     */
    readonly mayTake: () => boolean
    /** True if another node is lost, so that its sessions may be taken over. A lost node stays lost. */
    readonly isLost: (node: string) => Effect.Effect<boolean, StoreUnavailable>
    /** Gives `hands` offered sessions, and those of lost nodes, until the scope closes. Called once, at the start. */
    readonly serve: (hands: Hands) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@webagent/engine/Work") {}
