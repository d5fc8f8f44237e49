import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The `X-Request-Id` of the calls in an effect; undefined, unless a caller sets one, gives each call a new one. */
export const Current = Context.Reference<string | undefined>("@webagent/core/RequestId/Current", {
  defaultValue: () => undefined
})

/** Makes all requests of `effect` carry one `X-Request-Id`, so that a call that is made of several can be found. */
export const given =
  (id: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, id)
