import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as EventHub from "../api/EventHub.ts"
import * as V2 from "../api/v2/Handlers.ts"
import * as V3 from "../api/v3/Handlers.ts"
import * as V4 from "../api/v4/Handlers.ts"
import * as Console from "../console/Console.ts"
import * as Admin from "./admin/Admin.ts"
import * as SharedRuns from "./admin/SharedRuns.ts"
import * as CdpEndpoint from "./endpoints/CdpEndpoint.ts"
import * as Docs from "./endpoints/Docs.ts"
import * as ErrorHandler from "./policy/ErrorHandler.ts"
import * as FilesEndpoint from "./endpoints/FilesEndpoint.ts"
import * as FastReads from "./endpoints/FastReads.ts"
import type * as Identity from "./endpoints/Identity.ts"
import { ServerApi } from "./endpoints/ServerApi.ts"
import * as NodeRouting from "./policy/NodeRouting.ts"
import { routerConfig } from "./policy/RequestPath.ts"
import * as LiveEndpoint from "./endpoints/LiveEndpoint.ts"
import * as McpEndpoint from "./endpoints/McpEndpoint.ts"
import * as Monitoring from "./endpoints/Monitoring.ts"
import * as SessionLinks from "./endpoints/SessionLinks.ts"
import * as StepsEndpoint from "./endpoints/StepsEndpoint.ts"

/** An effect that responds to the current request. */
export type HttpApp<E = unknown, R = HttpServerRequest.HttpServerRequest | Scope.Scope> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R
>

const served = [V2.Served, V3.Served, V4.Served, ServerApi, Admin.Served, SharedRuns.Served, ...Console.Served]

/** Every route of the server; needs an Engine, LinkTokens and the contract's two middlewares. */
const layer = (about: Identity.About) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(V2.Served).pipe(Layer.provide(V2.layer)),
    HttpApiBuilder.layer(V3.Served).pipe(Layer.provide(V3.layer(V4.browsers))),
    HttpApiBuilder.layer(V4.Served).pipe(Layer.provide(V4.layer)),
    HttpApiBuilder.layer(ServerApi).pipe(
      Layer.provide([
        CdpEndpoint.layer,
        Docs.layer,
        FilesEndpoint.layer,
        LiveEndpoint.layer,
        Monitoring.layer(about),
        SessionLinks.layer,
        StepsEndpoint.layer
      ])
    ),
    Admin.layer,
    Console.layer,
    SharedRuns.layer,
    McpEndpoint.layer,
    ErrorHandler.layer(served)
  ).pipe(Layer.provide([NodeRouting.layer, EventHub.EventHub.layer]))

/** The whole app as one effect that responds to the current request, with or without a socket. */
export const make = (about: Identity.About = {}) => {
  const routes = HttpRouter.toHttpEffect(layer(about)).pipe(
    Effect.provideService(HttpRouter.RouterConfig, routerConfig)
  )
  return Effect.map(Effect.flatMap(Effect.flatMap(routes, FastReads.before), Console.around), (app): HttpApp => app)
}
