import { type ClientOptions, RetryPolicy } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import { V2 } from "../src/index.ts"
import { ScriptedServer } from "@webagent/scripted-server"

/** Retries and polls as usual, without making a test wait. */
const impatient = Layer.merge(
  Layer.succeed(RetryPolicy.Current, {
    ...RetryPolicy.standard,
    base: Duration.millis(1),
    throttledBase: Duration.millis(1)
  }),
  Layer.succeed(PollSchedule.Current, PollSchedule.every("2 millis"))
)

/** The client of a scripted server that the caller provides. */
export const layerClient = (options: Partial<ClientOptions> = {}) =>
  Layer.unwrap(
    Effect.map(ScriptedServer, ({ address }) => V2.layerClient({ baseUrl: address, apiKey: "wak_test", ...options }))
  ).pipe(Layer.provide(FetchHttpClient.layer), Layer.provide(impatient))

/** The client of a scripted server, over real sockets. */
export const layer = (options: Partial<ClientOptions> = {}) =>
  Layer.provideMerge(layerClient(options), ScriptedServer.layer)
