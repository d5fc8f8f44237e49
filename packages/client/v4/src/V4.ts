import {
  ClientConfig,
  type CallError,
  type ClientConfigError,
  type GivenOptions,
  layerHttp,
  Raw,
  type RequestOptions,
  Transport
} from "@webagent/core"
import type * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { Browsers } from "./Browsers.ts"
import { Runs } from "./Runs.ts"
import { Sessions } from "./Sessions.ts"

/** The services of API v4, over a Transport of your own. */
export const layerServices: Layer.Layer<Browsers | Runs | Sessions, never, Transport> = Layer.mergeAll(
  Browsers.layer,
  Runs.layer,
  Sessions.layer
)

/** A client of API v4 over an HttpClient of your own; `options` as for `layer`. */
export const layerClient = (
  options?: GivenOptions
): Layer.Layer<Browsers | Runs | Sessions | Transport, ClientConfigError, HttpClient.HttpClient> =>
  // layers are built once an application: two clients of one app would share the first one's address and key
  Layer.fresh(layerServices.pipe(Layer.provideMerge(Transport.layer), Layer.provide(ClientConfig.layerGiven(options))))

/**
 * A client of API v4, over undici in Node and fetch elsewhere. What the options do not say comes from the environment:
 * WEBAGENT_API_KEY, WEBAGENT_BASE_URL and the others of `ClientConfig.layerConfig`. Each build of the layer is a client
 * with connections, a poll budget and retry limits of its own: build it once a process.
 *
 * @example
 * ```ts
 * import { Runs, V4 } from "@webagent/v4"
 * import * as ManagedRuntime from "effect/ManagedRuntime"
 *
 * // one client a process: its connections, budgets and limits are shared by all calls
 * export const runtime = ManagedRuntime.make(V4.layer())
 * export const buy = (task: string) => runtime.runPromise(Runs.use((runs) => runs.createAndWait({ task })))
 * ```
 */
export const layer = (options?: GivenOptions): Layer.Layer<Browsers | Runs | Sessions | Transport, ClientConfigError> =>
  Layer.provide(layerClient(options), Layer.provide(layerHttp, ClientConfig.layerGiven(options)))

/**
 * Sends a request that this package does not list, to `path` of API v4, and gives the answer's JSON. Key, redirects,
 * timeouts, errors and redaction are as for every call. A GET is tried again; any other method is sent once.
 *
 * @example
 * ```ts
 * import { V4 } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = V4.request("GET", "/sessions", { query: { limit: 10 } }).pipe(Effect.provide(V4.layer()))
 * ```
 */
export const request: (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  options?: RequestOptions
) => Effect.Effect<unknown, CallError, Transport> = /* @__PURE__ */ Raw.request("v4")
