import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

interface HintsService {
  /** Tells a node to look for changes of its sessions and browsers; without a node, tells all to look for work. */
  readonly tell: (node: string | null) => Effect.Effect<void>
  /** The hints for a node. Hints that come at once may be merged. */
  readonly heard: (node: string) => Stream.Stream<unknown>
}

/**
 * Hints between nodes that share a store, so that a node looks at once; none by default. A hint may come late,
 * twice or never: the store has the change, and the next look finds it.
 */
export const Hints: Context.Reference<HintsService> = Context.Reference("@webagent/engine/Hints", {
  defaultValue: (): HintsService => ({ tell: () => Effect.void, heard: () => Stream.empty })
})
