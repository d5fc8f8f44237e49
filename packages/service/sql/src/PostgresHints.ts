import { Hints } from "@webagent/engine"
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

/**
 * Words between the nodes of a Postgres database, by LISTEN and NOTIFY. A node listens over a connection of its own.
 * Each word is a transaction of its own, because transactions with a NOTIFY commit one after the other.
 */
export const layer = (url: Redacted.Redacted): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effect(
    Hints,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const listening = Effect.gen(function* () {
        const { PgConnection } = yield* driver
        const connection = yield* Scope.fork(yield* Scope.Scope)
        const { listen } = yield* Scope.provide(PgConnection.make({ ...connectionOptions, url }), connection)
        const words = Stream.map(Stream.fromQueue(yield* listen(channel)), ({ payload }) => payload)
        // closed first: otherwise the client waits for an answer to UNLISTEN, which a frozen database never gives
        yield* Effect.addFinalizer((exit) => Scope.close(connection, exit))
        // what was said before was not heard
        return Stream.concat(Stream.make(all), words)
      })
      return {
        tell: (node) => Effect.ignore(sql`SELECT pg_notify(${channel}, ${node ?? all})`),
        heard: (node) =>
          Stream.unwrap(listening).pipe(
            Stream.filter((to) => to === all || to === node),
            Stream.chunks,
            Stream.tapError((cause) => Effect.logDebug("No words of other nodes are heard right now", cause)),
            // nodes look by themselves meanwhile
            Stream.retry(Schedule.spaced("1 second")),
            Stream.provideService(Clock.Clock, Clock.Clock.defaultValue()),
            Stream.orDie
          )
      }
    })
  )
