import { ClientConfig, type ClientConfigError, type ClientOptions, layerHttp, Transport } from "@webagent/core"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Sessions } from "./Sessions.ts"

/** Everything of API v3, over any Transport. */
export const layer: Layer.Layer<Sessions, never, Transport> = Sessions.layer

/** Everything of API v3 at an address, over the HttpClient of the surroundings. */
export const layerClient = (options: ClientOptions): Layer.Layer<Sessions, ClientConfigError, HttpClient.HttpClient> =>
  // layers are built once an application: two clients of one app would share the first one's address and key
  Layer.fresh(layer.pipe(Layer.provide(Transport.layer), Layer.provide(ClientConfig.layer(options))))

/** Everything of API v3, from the environment (WEBAGENT_API_KEY, WEBAGENT_BASE_URL, ...), over undici in Node, fetch elsewhere. */
export const layerConfig: Layer.Layer<Sessions, ClientConfigError> = Layer.fresh(
  layer.pipe(Layer.provide(Transport.layer), Layer.provide(layerHttp), Layer.provide(ClientConfig.layerConfig))
)
