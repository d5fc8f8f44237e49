import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"

interface HintsService {
  /** Tells a node to look for changes of its sessions and browsers; without a node, tells all to look for work. */
  readonly tell: (node: string | null) => Effect.Effect<void>
  /** The hints for a node. Hints that come at once may be merged. */
  readonly heard: (node: string) => Stream.Stream<unknown>
  /** Tells all readers of the event log that events were committed. */
  readonly tellEvents: Effect.Effect<void>
  /** The hints to read the event log. Hints that come at once are merged. */
  readonly heardEvents: Stream.Stream<unknown>
}

/** Makes the hints to read the event log within this process. */
export const makeEventHints = (): Pick<HintsService, "tellEvents" | "heardEvents"> => {
  const readers = new Set<() => void>()
  return {
    tellEvents: Effect.sync(() => readers.forEach((wake) => wake())),
    heardEvents: Stream.callback<void>(
      (queue) => {
        const wake = () => void Queue.offerUnsafe(queue, undefined)
        return Effect.acquireRelease(
          Effect.sync(() => readers.add(wake)),
          () => Effect.sync(() => readers.delete(wake))
        )
      },
      { bufferSize: 1, strategy: "sliding" }
    )
  }
}

/**
 * Hints between nodes that share a store, so that a node looks at once; by default, only within the process. A hint may
 * come late, twice or never: the store has the change, and the next look finds it.
 */
export const Hints: Context.Reference<HintsService> = Context.Reference("@webagent/engine/Hints", {
  defaultValue: (): HintsService => ({
    tell: () => Effect.void,
    heard: () => Stream.empty,
    ...makeEventHints()
  })
})
