import { Hints, makeEventHints } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import { connectionOptions, driver } from "./Postgres.ts"

const channel = "webagent_nodes"

/** A word for all nodes. */
const all = ""

/** The channel of words to readers of the event log. */
const eventChannel = "webagent_events"

/** Commits of this time are one word. */
const together = "25 millis"

const real = Clock.Clock.defaultValue()

/**
 * Words between the nodes of a Postgres database, by LISTEN and NOTIFY. A node listens over a connection of its own.
 * Each word is a transaction of its own, because transactions with a NOTIFY commit one after the other.
 */
export const layer = (url: Redacted.Redacted): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    Hints,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      const own = makeEventHints()
      let isTelling = false

      const notify = (on: string, word: string) => Effect.ignore(sql`SELECT pg_notify(${on}, ${word})`)

      const words = (on: string) =>
        Effect.gen(function* () {
          const { PgConnection } = yield* driver
          const connection = yield* Scope.fork(yield* Scope.Scope)
          const { listen } = yield* Scope.provide(PgConnection.make({ ...connectionOptions, url }), connection)
          const words = Stream.map(Stream.fromQueue(yield* listen(on)), ({ payload }) => payload)
          // closed first: otherwise the client waits for an answer to UNLISTEN, which a frozen database never gives
          yield* Effect.addFinalizer((exit) => Scope.close(connection, exit))
          // what was said before was not heard
          return Stream.concat(Stream.make(all), words)
        }).pipe(
          Stream.unwrap,
          Stream.chunks,
          Stream.tapError((cause) => Effect.logDebug("No words of other nodes are heard right now", cause)),
          // nodes look by themselves meanwhile
          Stream.retry(Schedule.spaced("1 second")),
          Stream.provideService(Clock.Clock, real),
          Stream.orDie
        )

      const tellOthers = Effect.gen(function* () {
        yield* Effect.provideService(Effect.sleep(together), Clock.Clock, real)
        isTelling = false
        yield* notify(eventChannel, all)
      })

      return {
        tell: (node) => notify(channel, node ?? all),
        heard: (node) => Stream.filter(words(channel), (some) => some.some((to) => to === all || to === node)),
        tellEvents: Effect.andThen(
          own.tellEvents,
          Effect.suspend(() => {
            if (isTelling) return Effect.void
            isTelling = true
            return Effect.forkIn(tellOthers, scope)
          })
        ),
        heardEvents: Stream.merge(own.heardEvents, words(eventChannel))
      }
    })
  )
