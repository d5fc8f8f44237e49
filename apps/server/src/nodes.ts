import { BrowserPool, NodeId, nodeIdOf, SharedWork } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { networkInterfaces } from "node:os"
import { Drain } from "./operation.ts"

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

/** Where other nodes reach a server that listens there; one that listens everywhere is reached from outside. */
export const reached = (address: string): string => {
  const url = new URL(address)
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") url.hostname = outside() ?? "127.0.0.1"
  return url.origin
}

/** How many browsers a pool takes that has no limit. */
const unlimited = 1_000_000

/** How a node is one of several. */
export interface SharedOptions {
  /** Told when this node has to begin anew. */
  readonly lost: Effect.Effect<void>
  /** Where the others reach it; where it listens unless given. */
  readonly advertise?: string
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
        startedAt_ms
      }))
      return SharedWork.layer({ about, lost, drained: Effect.sync(() => void (drain.draining = true)) })
    })
  )
