import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

interface HintsService {
  /** Has a node look for what was changed of what it holds; all nodes, for what they may take, without one. */
  readonly tell: (node: string | null) => Effect.Effect<void>
  /** The words for a node. Several that come at once may be one. */
  readonly heard: (node: string) => Stream.Stream<unknown>
}

/**
 * Words between nodes that share a store, so that one looks before its time; none by default. A word may come late,
 * twice or never: what it is about is stored, and found without it.
 */
export const Hints: Context.Reference<HintsService> = Context.Reference("@webagent/engine/Hints", {
  defaultValue: (): HintsService => ({ tell: () => Effect.void, heard: () => Stream.empty })
})
