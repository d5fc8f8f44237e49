import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** The number of viewers of a browser: now, and after each change. */
export interface Viewers {
  readonly count: () => number
  readonly changes: Stream.Stream<number>
}

/** Counts a viewer of a browser until the scope closes; undefined at the limit. */
export type Enter = (browserId: string) => Effect.Effect<Viewers | undefined, never, Scope.Scope>

/** Limits the viewers that each browser has at once, and tells each how many there are. */
export const make = (most: number): Enter => {
  const browsers = new Map<string, Set<Queue.Queue<number>>>()
  const viewersOf = (id: string) => browsers.get(id) ?? new Set<Queue.Queue<number>>()
  const tell = (id: string) => {
    const viewers = viewersOf(id)
    for (const one of viewers) Queue.offerUnsafe(one, viewers.size)
  }
  return Effect.fnUntraced(function* (id) {
    // a viewer that reads slowly needs the newest number only
    const changes = yield* Queue.sliding<number>(1)
    const isIn = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const viewers = viewersOf(id)
        if (viewers.size >= most) return false
        browsers.set(id, viewers.add(changes))
        tell(id)
        return true
      }),
      () =>
        Effect.sync(() => {
          const viewers = viewersOf(id)
          viewers.delete(changes)
          if (viewers.size === 0) browsers.delete(id)
          tell(id)
        })
    )
    return isIn ? { count: () => viewersOf(id).size, changes: Stream.fromQueue(changes) } : undefined
  })
}
