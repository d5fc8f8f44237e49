import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import type { ScriptedServer } from "./ScriptedServer.ts"

/** Speedup of time once there's nothing left to wait for. */
const factor = 1000

/**
 * Lets a wait go a thousand times as fast once `nothingComes`, which is asked anew for each. A limit of time can then be
 * long enough for any machine to get as far as the test wants it to, and is over in a moment all the same.
 */
export const hastened =
  (nothingComes: Effect.Effect<void>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const sleep = (time: Duration.Duration) =>
        Effect.raceFirst(
          clock.sleep(time),
          Effect.andThen(
            Effect.provideService(nothingComes, Clock.Clock, clock),
            clock.sleep(Duration.millis(Duration.toMillis(time) / factor))
          )
        )
      const hasty = Object.create(clock, { sleep: { value: sleep } }) as Clock.Clock
      return Effect.provideService(effect, Clock.Clock, hasty)
    })

/** An answer that never comes, and when the request for it has arrived. */
export const silence = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { answer: () => resolve(), arrived: Effect.promise(() => promise) }
}

const channel = "undici:request:headers"

const isOf = (message: unknown, { address }: ScriptedServer["Service"]): boolean =>
  typeof message === "object" &&
  message !== null &&
  "request" in message &&
  String(Reflect.get(Object(message.request), "origin")) === address

/** When a client of this process, fetch or undici, has read the headers of an answer of this server. */
export const headersRead = (
  server: ScriptedServer["Service"]
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const read = (message: unknown) => {
          // undici says so just before it tells the client, which may take some turns to take it in
          if (isOf(message, server)) setImmediate(() => setImmediate(() => setImmediate(resolve)))
        }
        subscribe(channel, read)
        return { promise, read }
      }),
      ({ read }) => Effect.sync(() => void unsubscribe(channel, read))
    ),
    ({ promise }) => Effect.promise(() => promise)
  )
