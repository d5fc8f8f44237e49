import type { ApiKeyAuth, RequestValidation } from "@webagent/contract"
import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import type { Engine } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { LinkTokens } from "./api/LinkTokens.ts"
import * as ApiKeyAuthLayer from "./http/policy/ApiKeyAuth.ts"
import * as App from "./http/App.ts"
import type { About } from "./http/endpoints/Identity.ts"
import * as Listener from "./http/listener/Listener.ts"

/** Address that a server listens on, and the keys that it accepts. */
export interface ListenOptions extends Pick<
  Listener.ListenerOptions,
  "allowedHosts" | "apiKeyHeader" | "publicUrl" | "trustProxy"
> {
  /** 0, the default, is any free port. */
  readonly port?: number
  /** 127.0.0.1 by default. */
  readonly host?: string
  /** The keys to accept. */
  readonly apiKeys?: ReadonlyArray<string>
  /** Tokens of a `cdpUrl` and a `recordingUrl`; random by default. */
  readonly linkTokens?: Layer.Layer<LinkTokens>
}

/** Content of a server, and a wrapper of its app. */
export interface ServeOptions extends Pick<ListenOptions, "apiKeys" | "linkTokens"> {
  /** Additional fields of `/`, beyond name, version and addresses. */
  readonly about?: About
  /** The app as it is served: with something in front of it, for instance. */
  readonly around?: (app: App.HttpApp) => App.HttpApp
}

/** The address that a server listens on by default: this machine only. */
export const defaultHost = "127.0.0.1"

/**
 * A server that listens: v2, v3 and v4 of the service at one address.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const { apiKeys, baseUrls } = yield* Server
 *   return yield* Effect.promise(() =>
 *     fetch(`${baseUrls.v4}/runs`, {
 *       method: "POST",
 *       headers: { "content-type": "application/json", "x-service-api-key": apiKeys[0] ?? "" },
 *       body: JSON.stringify({ task: "Find a red mug" })
 *     })
 *   )
 * })
 */
export class Server extends Context.Service<
  Server,
  {
    /** Such as `http://127.0.0.1:41873`, without a slash at the end. */
    readonly address: string
    /** Such as `http://127.0.0.1:41873/api/v4`, one for each version. */
    readonly baseUrls: Readonly<Record<ApiVersion, string>>
    /** The keys that it takes. */
    readonly apiKeys: ReadonlyArray<string>
  }
>()("@webagent/server/Server") {
  /** The app over an engine, on the HTTP server of `Listener.layer`. */
  static readonly layerServed = ({ about, apiKeys = [], around, linkTokens }: ServeOptions = {}) =>
    Layer.effect(
      Server,
      Effect.map(HttpServer.HttpServer, (server) => {
        const address = HttpServer.formatAddress(server.address)
        const baseUrl = (version: ApiVersion) => `${address}${basePath[version]}`
        return { address, baseUrls: { v2: baseUrl("v2"), v3: baseUrl("v3"), v4: baseUrl("v4") }, apiKeys }
      })
    ).pipe(
      Layer.provide(
        Layer.effectDiscard(
          Effect.flatMap(App.make(about), (app) =>
            App.forRequests(HttpServer.serveEffect(around === undefined ? app : around(app)))
          )
        )
      ),
      Layer.provide(linkTokens ?? LinkTokens.layerRandom)
    )

  /** Listens, over an engine, your own check of the key and a validation of requests. `apiKeys` are those it accepts. */
  static readonly layerWithAuth = ({
    allowedHosts,
    apiKeyHeader,
    host = defaultHost,
    port = 0,
    publicUrl,
    trustProxy,
    ...options
  }: ListenOptions & ServeOptions = {}): Layer.Layer<
    Server,
    Listener.PortInUseError | Listener.ListenError,
    Engine | ApiKeyAuth | RequestValidation
  > =>
    Server.layerServed(options).pipe(
      Layer.provide(Listener.layer({ host, port, allowedHosts, apiKeyHeader, publicUrl, trustProxy }))
    )

  /** Listens and accepts these keys only, over an engine and a validation of requests. */
  static readonly layer = (
    options: ListenOptions & ServeOptions & { readonly apiKeys: ReadonlyArray<string> }
  ): Layer.Layer<Server, Listener.PortInUseError | Listener.ListenError, Engine | RequestValidation> =>
    Layer.provide(Server.layerWithAuth(options), ApiKeyAuthLayer.layer(options.apiKeys))
}
