import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Answered } from "./Answered.ts"
import * as Elapsed from "./Elapsed.ts"
import type { ResponseInfo } from "./ResponseInfo.ts"

export type { ResponseInfo }

/** Is told of each response, and when it came. */
export const Slot = Context.Reference<((answered: Answered, now_ms: number) => void) | undefined>(
  "@webagent/core/Responses/Slot",
  { defaultValue: () => undefined }
)

/** The last response of a call, described when asked: most callers do not. */
export interface Last {
  response?: () => ResponseInfo
}

/** Runs an effect, and keeps the last response that its calls get. */
export const recorded = <A, E, R>(effect: Effect.Effect<A, E, R>, last: Last): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const began_ms = Elapsed.read_ms(fiber.getRef(Clock.Clock))
    return Effect.provideService(effect, Slot, (answered, now_ms) => {
      last.response = () => ({
        status: answered.status,
        headers: answered.headers(),
        requestId: answered.requestId,
        attempts: answered.attempt,
        duration_ms: now_ms - began_ms
      })
    })
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
  Effect.suspend(() => {
    const last: Last = {}
    return Effect.map(recorded(effect, last), (data) => ({ data, response: last.response?.() }))
  })
