import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { LaunchFailed } from "./BrowserPool.ts"

/** The wait of a create for room in a full pool. */
export interface BrowserQueueLimits {
  /** Maximum time in the queue. */
  readonly within: Duration.Input
  /** Ends the wait early when it fails. */
  readonly over: Effect.Effect<never, LaunchFailed>
  /**
   * True if the browser may start at another node instead; the wait then fails as `moved`. Checked while there is a node
   * with room.
   */
  readonly isMovable?: Effect.Effect<boolean>
}

/** Lets the caller's creates of browsers wait for room in the pool; by default, a full pool refuses them at once. */
export const BrowserQueue: Context.Reference<BrowserQueueLimits | null> = Context.Reference(
  "@webagent/engine/BrowserQueue",
  { defaultValue: (): BrowserQueueLimits | null => null }
)
