import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ClientConfig, type ClientOptions, layerFetch, RetryPolicy, Transport } from "../src/index.ts"
import { ScriptedServer } from "@webagent/scripted-server"

/** Retries as often as usual, without making a test wait. */
const impatient = { ...RetryPolicy.standard, base: Duration.millis(1), throttledBase: Duration.millis(1) }

/** A Transport to a scripted server, with the key `canary` unless told otherwise. */
export const layer = (options: Partial<ClientOptions> = {}) =>
  Layer.unwrap(
    Effect.map(ScriptedServer, ({ address }) =>
      Transport.layer.pipe(
        Layer.provide(ClientConfig.layer({ baseUrl: address, apiKey: "canary", ...options })),
        Layer.provide(layerFetch),
        Layer.provide(Layer.succeed(RetryPolicy.Current, impatient))
      )
    )
  ).pipe(Layer.provideMerge(ScriptedServer.layer))
