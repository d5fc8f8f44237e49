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

/** An attempt that is made only while the breaker allows it. */
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
