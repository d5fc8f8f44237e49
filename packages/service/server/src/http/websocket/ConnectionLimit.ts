import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Counts a connection to a browser until the scope closes; false at the limit. */
export type Enter = (browserId: string) => Effect.Effect<boolean, never, Scope.Scope>

/** Limits the connections that each browser has at once. */
export const make = (most: number): Enter => {
  const counts = new Map<string, number>()
  return (id) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const count = counts.get(id) ?? 0
        if (count < most) counts.set(id, count + 1)
        return count < most
      }),
      (isIn) =>
        Effect.sync(() => {
          if (!isIn) return
          const left = (counts.get(id) ?? 1) - 1
          if (left === 0) counts.delete(id)
          else counts.set(id, left)
        })
    )
}
