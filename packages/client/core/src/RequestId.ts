import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { shown } from "./RequestEncoding.ts"

/** The `X-Request-Id` of the calls in an effect; undefined, unless a caller sets one, gives each call a new one. */
export const Current = Context.Reference<string | undefined>("@webagent/core/RequestId/Current", {
  defaultValue: () => undefined
})

/**
 * Sends all requests of an effect with the same `X-Request-Id`, so that you find them in the logs of the service.
 *
 * @param id - 1 to 255 Latin-1 characters, without spaces around them.
 * @returns A function that gives the calls in an effect this id.
 * @example
 * ```ts
 * import { RequestId } from "@webagent/core"
 * import { Runs } from "@webagent/v4"
 *
 * export const program = Runs.use((runs) => runs.get("5f2e")).pipe(RequestId.provide("order-7"))
 * ```
 */
export const provide =
  (id: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, id)

/**
 * Returns the problem with an id, if any. A header carries Latin-1, and loses surrounding spaces.
 *
 * @param id - An id from a caller.
 * @returns The problem in words, or undefined if the id is valid.
 * @example
 * ```ts
 * import { RequestId } from "@webagent/core"
 *
 * console.log(RequestId.issueOf("order-7") ?? "valid") // valid
 * ```
 */
export const issueOf = (id: unknown): string | undefined =>
  typeof id === "string" && /^[\x20-\x7e\xa1-\xff]{1,255}$/u.test(id) && id.trim() === id
    ? undefined
    : `requestId must be 1 to 255 Latin-1 characters, without spaces around them; got ${shown(id)}`
