/**
 * Uses another HTTP client: undici with four connections, which logs each request.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 21_custom-http-client
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ClientConfig, Transport } from "@webagent/core"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"

/** Logs only the method and the address, because the headers contain the API key. */
const logging = HttpClient.tapRequest<void, never, never>(({ method, url }) => Effect.log(`${method} ${url}`))

export const layerHttpClient = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, logging)).pipe(
  Layer.provide(NodeHttpClient.layerUndiciOptions({ connections: 4 }))
)

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  return run.status
})

export const layer = V4.layerServices.pipe(
  Layer.provide(Transport.layer),
  Layer.provide([ClientConfig.layerConfig, layerHttpClient])
)
