import type { Call } from "@webagent/contract"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Elapsed } from "@webagent/polling"
import * as RequestId from "./RequestId.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import { TransportError } from "./TransportError.ts"

/** Forgives a service that does not find, for a moment, what it has just created. */
export interface Grace {
  /** Notes that an id was created now; `response` may name its session. */
  readonly remember: (id: string, response?: unknown) => Effect.Effect<void>
  /** Notes that a session was deleted with what belongs to it: from now on, a 404 for them is believed. */
  readonly forget: (sessionId: string) => void
  /** Returns whether an id was created within the window, at a time as `Elapsed` counts. */
  readonly isFresh: (id: string, now_ms: number) => boolean
  /**
   * Reads again while the read says "absent" of an id that was created within the window. All that is read so is one
   * call: of one request id, and its attempts are counted together.
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

/** A grace of 5 seconds unless told otherwise. */
export const make = (window: Duration.Input = "5 seconds"): Grace => {
  const window_ms = Duration.toMillis(window)
  const created = new Map<string, readonly [at_ms: number, sessionId: unknown]>()
  const isFresh = (id: string, now_ms: number) =>
    now_ms - (created.get(id)?.[0] ?? Number.NEGATIVE_INFINITY) < window_ms
  return {
    isFresh,
    remember: (id, response) =>
      Effect.map(Elapsed.now_ms, (now) => {
        for (const [old, [at]] of created) {
          if (now - at < window_ms) break
          created.delete(old)
        }
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
