import type * as HttpClient from "effect/http/HttpClient"
import type * as Layer from "effect/Layer"
import type { ClientConfig } from "./ClientConfig.ts"
import * as HttpUndici from "./HttpUndici.ts"

/**
 * The HttpClient that clients have in Node unless told: undici itself, at half the cost of fetch, with connections that
 * are kept for the pause between two polls, and the only one that holds `timeouts.connect`. Here it is undici for sure,
 * where the clients' own choice is fetch when undici cannot be loaded.
 *
 * @example
 * ```ts
 * import { ClientConfig, Transport } from "@webagent/core"
 * import { layerUndici } from "@webagent/core/node"
 * import * as Layer from "effect/Layer"
 *
 * export const layer = Transport.layer.pipe(Layer.provide(layerUndici), Layer.provide(ClientConfig.layerConfig))
 * ```
 */
export const layerUndici: Layer.Layer<HttpClient.HttpClient, never, ClientConfig> = HttpUndici.layerUndici

/** The same for a WebAgent of a promise entry point: `new WebAgent({ httpClient: undici })`. */
export const undici = { layer: layerUndici }

export * as ProcessOwner from "./ProcessOwner.ts"
