import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as V2 from "../api/v2/Handlers.ts"
import * as V3 from "../api/v3/Handlers.ts"
import * as V4 from "../api/v4/Handlers.ts"
import * as CdpEndpoint from "./endpoints/CdpEndpoint.ts"
import * as Docs from "./endpoints/Docs.ts"
import * as Identity from "./endpoints/Identity.ts"
import * as LiveEndpoint from "./endpoints/LiveEndpoint.ts"
import * as McpEndpoint from "./endpoints/McpEndpoint.ts"
import * as Monitoring from "./endpoints/Monitoring.ts"
import * as PlainRead from "./endpoints/FastReads.ts"
import * as SessionLinks from "./endpoints/SessionLinks.ts"
import * as StepsEndpoint from "./endpoints/StepsEndpoint.ts"
import * as Unrouted from "./ErrorHandler.ts"

const versions = Layer.mergeAll(
  HttpApiBuilder.layer(V2.Served).pipe(Layer.provide(V2.layer)),
  HttpApiBuilder.layer(V3.Served).pipe(Layer.provide(V3.layer)),
  HttpApiBuilder.layer(V4.Served).pipe(Layer.provide(V4.layer))
)

/** An effect that answers the current request. */
export type HttpApp<E = unknown, R = HttpServerRequest.HttpServerRequest | Scope.Scope> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R
>

/** Additional fields of `/`, beyond name, version and addresses. */
export type About = Readonly<Record<string, unknown>>

/** Every route of the server; needs an Engine, LinkTokens and the contract's two middlewares. */
export const layer = (about: About) =>
  Layer.mergeAll(
    versions,
    CdpEndpoint.layer,
    Docs.layer,
    Identity.layer(about),
    LiveEndpoint.layer,
    McpEndpoint.layer,
    Monitoring.layer,
    SessionLinks.layer,
    StepsEndpoint.layer,
    Unrouted.layer
  )

/** The whole app as one effect that answers the current request, with or without a socket. */
export const make = (about: About = {}) => {
  const routes = HttpRouter.toHttpEffect(layer(about)).pipe(
    // a long id reaches its operation, which answers 404 or 422
    Effect.provideService(HttpRouter.RouterConfig, {
      maxParamLength: 16_384,
      ignoreTrailingSlash: false,
      caseSensitive: true
    })
  )
  return Effect.map(Effect.flatMap(routes, PlainRead.before), (app): HttpApp => app)
}
