import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as CircuitBreaker from "effect/persistence/CircuitBreaker"
import type { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import type { Outgoing } from "./Outgoing.ts"
import { CircuitOpen, TransportError } from "./TransportError.ts"

/**
 * The circuit breaker of effect/persistence that a Transport is made with; none unless an application provides one. It
 * sees every attempt, by origin: 5xx and no answer are failures. While it is open nothing is sent.
 *
 * @example
 * ```ts
 * import { Breaker } from "@webagent/core"
 * import * as Layer from "effect/Layer"
 * import * as CircuitBreaker from "effect/persistence/CircuitBreaker"
 *
 * export const layer = Layer.effect(
 *   Breaker.Current,
 *   CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(10), openDuration: "30 seconds" })
 * ).pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
 * ```
 */
export const Current = Context.Reference<CircuitBreaker.CircuitBreaker | undefined>("@webagent/core/Breaker/Current", {
  defaultValue: () => undefined
})

const classify = (exit: Exit.Exit<Answered, TransportError>): CircuitBreaker.Outcome => {
  if (Exit.isSuccess(exit)) return exit.value.status >= 500 ? { _tag: "Failure" } : { _tag: "Success" }
  return Exit.hasInterrupts(exit) ? { _tag: "Ignored" } : { _tag: "Failure" }
}

/**
 * Makes an attempt only while a circuit breaker allows it. A response with a status from 500 counts as a failure.
 *
 * @param breaker - The breaker. Undefined allows every attempt.
 * @param outgoing - The request. Its origin is the key of the breaker's state.
 * @param attempt - Sends the request.
 * @returns The response of the attempt.
 * @throws `TransportError` with the reason `CircuitOpen` if nothing was sent.
 * @example
 * ```ts
 * import { type Answered, Breaker, type TransportError } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * type Outgoing = Parameters<typeof Breaker.guard>[1]
 * export const guarded = (outgoing: Outgoing, attempt: Effect.Effect<Answered, TransportError>) =>
 *   Effect.flatMap(Breaker.Current, (breaker) => Breaker.guard(breaker, outgoing, attempt))
 * ```
 */
export const guard = (
  breaker: CircuitBreaker.CircuitBreaker | undefined,
  outgoing: Outgoing,
  attempt: Effect.Effect<Answered, TransportError>
): Effect.Effect<Answered, TransportError> => {
  if (breaker === undefined) return attempt
  const call = { ...Call.of(outgoing), attempts: outgoing.attempt - 1 }
  return breaker.execute(attempt, { key: call.origin, classify }).pipe(
    // catchTag would be 100 bytes more of every client
    Effect.mapError((error) => {
      if (error._tag === "TransportError") return error
      const retryAfter = "retryAfter" in error.reason ? { retryAfter: error.reason.retryAfter } : {}
      return new TransportError({ ...call, reason: new CircuitOpen(retryAfter) })
    })
  )
}
