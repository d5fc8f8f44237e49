import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Answered } from "./Answered.ts"
import * as Elapsed from "./Elapsed.ts"
import type { ResponseInfo } from "./ResponseInfo.ts"

export type { ResponseInfo }

/** The last response of a call, described when asked: most callers do not. */
export class Last {
  began_ms = 0
  answered: Answered | undefined
  answered_ms = 0

  tell(answered: Answered, clock: Clock.Clock): Answered {
    this.answered = answered
    this.answered_ms = Elapsed.read_ms(clock)
    return answered
  }

  response(): ResponseInfo | undefined {
    const { answered, answered_ms, began_ms } = this
    return (
      answered && {
        status: answered.status,
        headers: answered.headers(),
        requestId: answered.requestId,
        attempts: answered.attempt,
        duration_ms: answered_ms - began_ms
      }
    )
  }
}

/** What is told the responses of a call. */
export const Slot = Context.Reference<Last | undefined>("@webagent/core/Responses/Slot", {
  defaultValue: () => undefined
})

/**
 * The value of a call with the response that brought it: status, headers, request id, attempts and duration. Of several
 * calls it is the last response. It is missing where none came for this call, as for a wait that shared the polls of
 * another.
 *
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
    last.began_ms = Elapsed.read_ms(fiber.getRef(Clock.Clock))
    return Effect.map(Effect.provideService(effect, Slot, last), (data) => ({ data, response: last.response() }))
  })
