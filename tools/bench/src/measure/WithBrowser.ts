import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/** Runs what uses a browser. What waits for a browser's processes does not keep this one alive. */
export const withBrowser = <A, E>(program: Effect.Effect<A, E, Scope.Scope>): Promise<A> => {
  const alive = setInterval(() => undefined, 60_000)
  return Effect.runPromise(Effect.scoped(program)).finally(() => clearInterval(alive))
}
