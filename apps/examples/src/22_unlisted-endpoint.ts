/**
 * Calls an endpoint that the client doesn't have, with the same address and key. Every status is a response.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 22_unlisted-endpoint
 */
import { ClientConfig, execute, Transport } from "@webagent/core"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

// our server has this endpoint; other services have others
const Document = Schema.Struct({ paths: Schema.Record(Schema.String, Schema.Unknown) })

export const program = Effect.gen(function* () {
  const transport = yield* Transport
  const read = execute(transport, "v4", HttpClientRequest.get("/openapi.json"))
  // execute makes one attempt; retry only requests that change nothing
  const response = yield* transport.retry(read)
  if (response.status !== 200) return []
  const { paths } = yield* Schema.decodeUnknownEffect(Document)(yield* response.json)
  return Object.keys(paths)
})

export const layer = Transport.layer.pipe(Layer.provide([ClientConfig.layerConfig, FetchHttpClient.layer]))
