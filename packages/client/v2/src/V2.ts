import { ClientConfig, type ClientConfigError, type GivenOptions, layerHttp, Transport } from "@webagent/core"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Sessions } from "./Sessions.ts"

/** The services of API v2, over a Transport of your own. */
export const layerServices: Layer.Layer<Sessions, never, Transport> = Sessions.layer

/** A client of API v2 over an HttpClient of your own; `options` as for `layer`. */
export const layerClient = (options?: GivenOptions): Layer.Layer<Sessions, ClientConfigError, HttpClient.HttpClient> =>
  // layers are built once an application: two clients of one app would share the first one's address and key
  Layer.fresh(layerServices.pipe(Layer.provide(Transport.layer), Layer.provide(ClientConfig.layerGiven(options))))

/**
 * A client of API v2, over undici in Node and fetch elsewhere. What the options do not say comes from the environment:
 * WEBAGENT_API_KEY, WEBAGENT_BASE_URL and the others of `ClientConfig.layerConfig`. Each build of the layer is a client
 * with connections, a poll budget and retry limits of its own: build it once a process.
 *
 * @example
 * ```ts
 * import { Sessions, V2 } from "@webagent/v2"
 * import * as ManagedRuntime from "effect/ManagedRuntime"
 *
 * // one client a process: its connections, budgets and limits are shared by all calls
 * export const runtime = ManagedRuntime.make(V2.layer())
 * export const look = (id: string) => runtime.runPromise(Sessions.use((sessions) => sessions.get(id)))
 * ```
 */
export const layer = (options?: GivenOptions): Layer.Layer<Sessions, ClientConfigError> =>
  Layer.fresh(
    layerServices.pipe(
      Layer.provide(Transport.layer),
      Layer.provide(layerHttp),
      Layer.provide(ClientConfig.layerGiven(options))
    )
  )
