import * as platform from "#http"
import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type { ClientConfig } from "./ClientConfig.ts"

/**
 * The HttpClient of the platform: undici in Node, loaded when the layer is built, and fetch elsewhere. What is bundled
 * for a browser or an edge runtime has no undici inside: the conditions of the bundler choose.
 */
export const layerHttp: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = platform.layerHttp
