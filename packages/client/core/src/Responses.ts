import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Answered } from "./Answered.ts"
import { Elapsed } from "@webagent/polling"
import type { Redact } from "./Redact.ts"
import type { ResponseInfo } from "./ResponseInfo.ts"

export type { ResponseInfo }

/** The last response of a call, described when asked: most callers do not. */
export class Last {
  declare began_ms: number
  declare answered: Answered | undefined
  declare duration_ms: number
  declare redact: Redact

  tell(answered: Answered, clock: Clock.Clock, redact: Redact): Answered {
    this.redact = redact
    this.answered = answered
    this.duration_ms = Elapsed.nowUnsafe_ms(clock) - this.began_ms
    return answered
  }

  response(): ResponseInfo | undefined {
    const { answered, duration_ms, redact } = this
    return (
      answered && {
        status: answered.status,
        headers: JSON.parse(redact(JSON.stringify(answered.headers()), true)),
        requestId: answered.requestId,
        attempts: answered.attempt,
        duration_ms
      }
    )
  }
}

/** Receives the responses of a call. */
export const Slot = Context.Reference<Last | undefined>("@webagent/core/Responses/Slot", {
  defaultValue: () => undefined
})

/**
 * The value of a call with the response that brought it: status, headers, request id, attempts and duration. Of several
 * calls it is the last response. It is missing where none came for this call, as for a wait that shared the polls of
 * another.
 *
 * @param effect - A call of a client.
 * @returns The value as `data`, and the `response` of the last request.
 * @example
 * ```ts
 * import { withResponse } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * // of any call of a client: runs.get("5f2e")
 * export const requestIdOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
 *   Effect.map(withResponse(call), ({ response }) => response?.requestId)
 * ```
 */
export const withResponse = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<{ readonly data: A; readonly response: ResponseInfo | undefined }, E, R> =>
  Effect.withFiber((fiber) => {
    const last = new Last()
    last.began_ms = Elapsed.nowUnsafe_ms(fiber.getRef(Clock.Clock))
    return Effect.map(Effect.provideService(effect, Slot, last), (data) => ({ data, response: last.response() }))
  })
