import type { JsonObject } from "@webagent/contract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as IdempotencyKey from "./IdempotencyKey.ts"

/** What every call may choose. */
export interface CallOptions {}

/** What a single create may choose. */
export interface CreateOptions extends CallOptions {
  /** The create's `Idempotency-Key`, as `IdempotencyKey.given` sets it; a new one unless told. */
  readonly idempotencyKey?: string | undefined
  /** Fields of the request's body that the description does not list: they are sent beside the listed ones. */
  readonly extraBody?: JsonObject | undefined
}

/** What the calls of an effect have chosen; nothing, unless `given` says it. */
export const Current = Context.Reference<CreateOptions>("@webagent/core/CallOptions/Current", {
  defaultValue: () => ({})
})

/** Lets the calls of an effect go by these options. */
export const given =
  (options: CreateOptions | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (options === undefined) return effect
    const { idempotencyKey } = options
    const chosen = Effect.provideService(effect, Current, options)
    return idempotencyKey === undefined ? chosen : IdempotencyKey.given(idempotencyKey)(chosen)
  }
