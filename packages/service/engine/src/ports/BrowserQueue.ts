import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** The wait of a create of a browser. */
export interface BrowserQueueLimits {
  /** Since when it waits, in milliseconds since 1970, including at other nodes; since now by default. */
  readonly since_ms?: number
  /** When it stops waiting, for room or an earlier create with its key, in milliseconds since 1970. */
  readonly until_ms: number
  /** True to wait for room in a full pool; false to be refused immediately. */
  readonly waitsForRoom: boolean
  /**
   * True if the browser may start at another node instead; the wait then fails as `moved`. Checked while there is a node
   * with room.
   */
  readonly isMovable?: Effect.Effect<boolean> | undefined
}

/**
 * Limits how long the caller's creates of browsers wait. By default, a full pool refuses them at once, and they wait for
 * an earlier create with the same key for as long as it takes.
 */
export const BrowserQueue: Context.Reference<BrowserQueueLimits | null> = Context.Reference(
  "@webagent/engine/BrowserQueue",
  { defaultValue: (): BrowserQueueLimits | null => null }
)
