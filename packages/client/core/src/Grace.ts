import type { Call } from "@webagent/contract"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Elapsed } from "@webagent/polling"
import * as RequestId from "./RequestId.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { TransportError } from "./TransportError.ts"

/** Forgives a service that does not find, for a moment, what it has just created. */
export interface Grace {
  /**
   * Notes that a resource was created now.
   *
   * @param id - The id of the resource.
   * @param response - The response to its create, which may name its session.
   * @returns An effect that notes it.
   * @example
   * ```ts
   * import { Grace } from "@webagent/core"
   *
   * const grace = Grace.make()
   * export const noted = grace.remember("5f2e", { id: "5f2e", sessionId: "91ab" })
   * ```
   */
  readonly remember: (id: string, response?: unknown) => Effect.Effect<void>
  /**
   * Notes that a session was deleted with everything in it. From now on, a 404 for them is final.
   *
   * @param sessionId - The id of the session.
   * @returns Nothing.
   * @example
   * ```ts
   * import { Grace } from "@webagent/core"
   *
   * const grace = Grace.make()
   * grace.forget("91ab")
   * ```
   */
  readonly forget: (sessionId: string) => void
  /**
   * Returns whether a resource was created within the grace period.
   *
   * @param id - The id of the resource.
   * @param now_ms - The time in milliseconds, as `Elapsed.now_ms` of `@webagent/polling` returns it.
   * @returns True if a 404 may mean that the service doesn't find it yet.
   * @example
   * ```ts
   * import { Grace } from "@webagent/core"
   * import { Elapsed } from "@webagent/polling"
   * import * as Effect from "effect/Effect"
   *
   * const grace = Grace.make()
   * export const isNew = (id: string) => Effect.map(Elapsed.now_ms, (now_ms) => grace.isFresh(id, now_ms))
   * ```
   */
  readonly isFresh: (id: string, now_ms: number) => boolean
  /**
   * Repeats a read every 500 ms while the service doesn't find a resource that was created within the grace period. All
   * requests have the same request id and count as attempts of one call.
   *
   * @param id - The id of the resource.
   * @param read - Reads the resource.
   * @param isAbsent - Returns true for an error that says that there is no such resource.
   * @returns The result of the read.
   * @throws The error of the last read.
   * @example
   * ```ts
   * import { Transport } from "@webagent/core"
   * import { RunNotFoundError, Runs } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   *
   * export const status = (id: string) =>
   *   Effect.gen(function* () {
   *     const { grace } = yield* Transport
   *     const runs = yield* Runs
   *     return yield* grace.forgive(id, runs.status(id), (error) => error instanceof RunNotFoundError)
   *   })
   * ```
   */
  readonly forgive: <A, E, R>(
    id: string,
    read: Effect.Effect<A, E, R>,
    isAbsent: (error: E) => boolean
  ) => Effect.Effect<A, E, R>
}

/** The call that an error has ended. */
const callOf = (error: unknown): Partial<Call> | undefined => {
  if (error instanceof TransportError) return error
  return error instanceof Error && "call" in error ? (error.call as Call) : undefined
}

/** A read that goes on with the call that an error has ended. */
const after = <A, E, R>(read: Effect.Effect<A, E, R>, error: E) => {
  const { attempts = 1, requestId } = callOf(error) ?? {}
  return read.pipe(
    Effect.provideService(RetryPolicy.AttemptsBefore, attempts),
    Effect.provideService(RequestId.Current, requestId)
  )
}

/**
 * Makes a record of new resources, which a service may not find at first.
 *
 * @param window - The grace period after a create.
 * @returns The record.
 * @example
 * ```ts
 * import { Grace } from "@webagent/core"
 *
 * export const grace = Grace.make("10 seconds")
 * ```
 */
export const make = (window: Duration.Input = "5 seconds"): Grace => {
  const window_ms = Duration.toMillis(window)
  const created = new Map<string, readonly [at_ms: number, sessionId: unknown]>()
  const isFresh = (id: string, now_ms: number) =>
    now_ms - (created.get(id)?.[0] ?? Number.NEGATIVE_INFINITY) < window_ms
  return {
    isFresh,
    remember: (id, response) =>
      Effect.map(Elapsed.now_ms, (now) => {
        // now and then, because a map finds its first entry behind all that were deleted before it
        if (created.size % 1000 === 999) for (const id of created.keys()) if (!isFresh(id, now)) created.delete(id)
        created.set(id, [now, Object(response).sessionId])
      }),
    forget: (deleted) => {
      for (const [id, [, sessionId]] of created) if (id === deleted || sessionId === deleted) created.delete(id)
    },
    forgive: (id, read, isAbsent) => {
      const forgiving = (round: typeof read): typeof read =>
        round.pipe(
          Effect.catch((error) => {
            if (!isAbsent(error)) return Effect.fail(error)
            return Effect.flatMap(Elapsed.now_ms, (now) =>
              isFresh(id, now)
                ? Effect.andThen(Effect.sleep("500 millis"), forgiving(after(read, error)))
                : Effect.fail(error)
            )
          })
        )
      return forgiving(read)
    }
  }
}
