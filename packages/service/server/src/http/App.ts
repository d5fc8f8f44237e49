import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as V2 from "../api/v2/Handlers.ts"
import * as V3 from "../api/v3/Handlers.ts"
import * as V4 from "../api/v4/Handlers.ts"
import * as CdpEndpoint from "./CdpEndpoint.ts"
import * as Docs from "./Docs.ts"
import * as Identity from "./Identity.ts"
import * as Recordings from "./Recordings.ts"
import * as Shares from "./Shares.ts"
import { Simulation } from "../simulation/Simulation.ts"
import * as PlainRead from "./PlainRead.ts"
import * as Unrouted from "./Unrouted.ts"

const versions = Layer.mergeAll(
  HttpApiBuilder.layer(V2.Served).pipe(Layer.provide(V2.layer)),
  HttpApiBuilder.layer(V3.Served).pipe(Layer.provide(V3.layer)),
  HttpApiBuilder.layer(V4.Served).pipe(Layer.provide(V4.layer))
)

/** What the app says of itself. */
export interface AppOptions {
  readonly simulated: boolean
  /** Where the control API is, for those who may know. */
  readonly control?: string | undefined
}

/** Every route of the server; needs an Engine, LinkTokens and the contract's two middlewares. */
export const layer = (options: AppOptions) =>
  Layer.mergeAll(
    versions,
    CdpEndpoint.layer,
    Docs.layer,
    Identity.layer(options),
    Recordings.layer,
    Shares.layer,
    Unrouted.layer
  )

/**
 * The whole app as one effect that answers the current request: the routes, behind a simulation where there is
 * one. A socket is not needed for it.
 */
export const make = (options: AppOptions) =>
  Effect.contextWith((context: Context.Context<never>) => {
    const simulation = Context.getOption(context, Simulation)
    const routes = HttpRouter.toHttpEffect(layer(options)).pipe(
      // an id that is too long is an id that is not found, or not a uuid, and not a path that does not exist
      Effect.provideService(HttpRouter.RouterConfig, {
        maxParamLength: 16_384,
        ignoreTrailingSlash: false,
        caseSensitive: true
      })
    )
    return Effect.map(Effect.flatMap(routes, PlainRead.before), (app) =>
      Option.isSome(simulation) ? simulation.value.around(app) : app
    )
  })
