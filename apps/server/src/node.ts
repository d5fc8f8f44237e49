import { BrowserPool, NodeId, nodeIdOf, SharedWork, StoreUnavailable } from "@webagent/engine"
import { version } from "@webagent/server"
import { DatabaseError } from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { networkInterfaces } from "node:os"
import { Drain } from "./drain.ts"

/** An id for each start, which no start has again: what has another one was left behind. */
export const layerId = (name: string): Layer.Layer<never> =>
  Layer.effect(
    NodeId,
    Effect.map(Effect.orDie(SecureRandom.SecureRandom.use((random) => random.uuidV7())), (id) => nodeIdOf(name, id))
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

/** The first address of this machine that others may reach. */
const outside = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address

/**
 * Address at which other nodes reach a server; if it listens on all interfaces, an external address of this machine.
 */
export const reached = (address: string): string => {
  const url = new URL(address)
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = outside() ?? "127.0.0.1"
  return url.origin
}

/** Number of browsers of a pool without a limit. */
const unlimited = 1_000_000

/** Time that a lost node waits for its database before it retries. */
const between = "5 seconds"

const isAway = (error: unknown) =>
  error instanceof StoreUnavailable || (error instanceof DatabaseError && error.isAway === true)

/**
 * Serves, and restarts under a new node id each time that the node is lost. A restart waits for a database that is away; a
 * first start fails.
 */
export const restartWhenLost = <E, R>(untilLost: Effect.Effect<void, E, R>): Effect.Effect<never, E, R> => {
  const patient = untilLost.pipe(
    Effect.tapError((error) => (isAway(error) ? Effect.logWarning((error as Error).message) : Effect.void)),
    Effect.retry({ while: isAway, schedule: Schedule.spaced(between) })
  )
  return Effect.andThen(untilLost, Effect.forever(patient))
}

/** Settings of a node that is one of several. */
export interface SharedOptions {
  /** Runs when this node is lost and has to restart. */
  readonly lost: Effect.Effect<void>
  /** Address at which the other nodes reach it; by default, the address that it listens on. */
  readonly advertise?: string | undefined
}

/** The work of a node that shares its database, under this name. */
export const layerWork = (name: string, { advertise, lost }: SharedOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const drain = yield* Drain
      const { room } = yield* BrowserPool
      const address = advertise ?? reached(HttpServer.formatAddress((yield* HttpServer.HttpServer).address))
      const startedAt_ms = yield* Clock.currentTimeMillis
      const about = Effect.map(room ?? Effect.succeed(unlimited), (room) => ({
        name,
        address,
        room,
        draining: drain.draining,
        startedAt_ms,
        version
      }))
      const request = (isRequested: boolean) => Effect.sync(() => void (drain.requested = isRequested))
      return SharedWork.layer({ about, lost, drained: request(true), undrained: request(false) })
    })
  )
