import {
  type CallError,
  type ClientConfigError,
  type GivenOptions,
  layerGiven,
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

/** The services of API v4, over a Transport that you provide. */
export const layerServices: Layer.Layer<Browsers | Runs | Sessions, never, Transport> = Layer.mergeAll(
  Browsers.layer,
  Runs.layer,
  Sessions.layer
)

/**
 * A client of API v4 over an HttpClient that you provide.
 *
 * @param options - The address, the key, and limits for time. Missing options come from the environment.
 * @returns A layer with the services of the client.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
 * @example
 * ```ts
 * import { V4 } from "@webagent/v4"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as Layer from "effect/Layer"
 *
 * export const layer = V4.layerClient().pipe(Layer.provide(FetchHttpClient.layer))
 * ```
 */
export const layerClient = (
  options?: GivenOptions
): Layer.Layer<Browsers | Runs | Sessions | Transport, ClientConfigError, HttpClient.HttpClient> =>
  // layers are built once an application: two clients of one app would share the first one's address and key
  Layer.fresh(layerServices.pipe(Layer.provideMerge(Transport.layer), Layer.provide(layerGiven(options))))

/**
 * A client of API v4, over undici in Node and over fetch elsewhere.
 *
 * Build the layer once per process, so that its connections, poll budget and retry limits apply to the whole process.
 *
 * @param options - The address, the key, and limits for time. Missing options come from the environment:
 *   `WEBAGENT_API_KEY`, `WEBAGENT_BASE_URL` and the other variables of `ClientConfig.layerConfig`.
 * @returns A layer with the services of the client.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
 * @example
 * ```ts
 * import { Runs, V4 } from "@webagent/v4"
 * import * as ManagedRuntime from "effect/ManagedRuntime"
 *
 * // one client per process: its connections, budgets and limits are shared by all calls
 * export const runtime = ManagedRuntime.make(V4.layer())
 * export const buy = (task: string) => runtime.runPromise(Runs.use((runs) => runs.createAndWait({ task })))
 * ```
 */
export const layer = (options?: GivenOptions): Layer.Layer<Browsers | Runs | Sessions | Transport, ClientConfigError> =>
  Layer.provide(layerClient(options), Layer.provide(layerHttp, layerGiven(options)))

/**
 * Sends a request that this package doesn't list. The key, redirects, timeouts, errors and redaction are those of every
 * call. A GET is retried; any other method is sent once.
 *
 * @param method - The HTTP method.
 * @param path - The path below the address of API v4, such as `/sessions`. Use `query` of the options for a query.
 * @param options - A query, a body, and headers, retries and the timeout of this call.
 * @returns The JSON of the response.
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
