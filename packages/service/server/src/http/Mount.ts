import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as LazyGroup from "../api/LazyGroup.ts"
import * as ErrorHandler from "./policy/ErrorHandler.ts"
import { routerConfig } from "./policy/RequestPath.ts"

type App<R = never> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope | R
>

/** The apps of the server that handles a request: of the endpoints of its APIs, and of its other paths. */
export class MountedApps extends Context.Service<
  MountedApps,
  {
    readonly ofEndpoint: (api: HttpApi.Constraint, group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => App
    readonly ofPath: (path: string) => App
  }
>()("@webagent/server/http/MountedApps") {}

/**
 * Makes a router that all servers of this process share, of APIs and of paths that take every method. It takes longer to
 * make than most tests that start a server, and only the handlers differ from server to server.
 */
export const makeRouter = (
  apis: ReadonlyArray<HttpApi.Constraint>,
  paths: ReadonlyArray<HttpRouter.PathInput>
): App<MountedApps> => {
  const make = Effect.gen(function* () {
    const router = yield* HttpRouter.make
    const endpoints = apis.flatMap((api) =>
      Object.values<HttpApiGroup.Top>((api as HttpApi.Top).groups).flatMap((group) =>
        Object.values<HttpApiEndpoint.Top>(group.endpoints).map((endpoint) => ({ api, group, endpoint }))
      )
    )
    const routes = endpoints.map(({ api, endpoint, group }) =>
      HttpRouter.route(
        endpoint.method,
        endpoint.path as HttpRouter.PathInput,
        Effect.flatMap(MountedApps, ({ ofEndpoint }) => ofEndpoint(api, group, endpoint))
      )
    )
    const others = paths.map((path) =>
      HttpRouter.route(
        "*",
        path,
        Effect.flatMap(MountedApps, ({ ofPath }) => ofPath(path))
      )
    )
    // each route has the services of the request
    yield* router.addAll([...routes, ...others]) as Effect.Effect<void>
    return ErrorHandler.around(apis)(router.asHttpEffect()) as App<MountedApps>
  })
  let made: App<MountedApps> | undefined
  return Effect.suspend(
    () => (made ??= Effect.runSync(Effect.provideService(make, HttpRouter.RouterConfig, routerConfig)))
  )
}

/** The handlers of an API. */
export interface Handlers<R> {
  readonly api: HttpApi.Constraint
  readonly layer: Layer.Layer<never, never, R>
}

/** The handlers of all groups of an API. */
export const handlers = <Id extends string, Groups extends HttpApiGroup.Constraint, R>(
  api: HttpApi.HttpApi<Id, Groups>,
  layer: Layer.Layer<HttpApiGroup.ToService<Id, Groups>, never, R>
): Handlers<HttpRouter.Request.Without<R>> => ({
  api,
  layer: layer as Layer.Layer<never, never, unknown> as Layer.Layer<never, never, HttpRouter.Request.Without<R>>
})

/** An effect that runs once, with its first caller, and with the services of now alone: the caller has a request. */
export const lazily = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.cached(Effect.uninterruptible(Effect.updateContext<A, E, R, never>(effect, () => context)))
  )

/**
 * Has a shared router pass requests to one server. The handlers of an API are made with the first request for it: most
 * tests use one API, or none. `paths` makes the apps of the other paths, over the whole app.
 */
export const mount = Effect.fnUntraced(function* <R, R2>(
  router: App<MountedApps>,
  apis: ReadonlyArray<Handlers<R>>,
  paths: Readonly<Record<string, (whole: App) => Effect.Effect<App, never, R2>>>
) {
  const services = new Map<HttpApi.Constraint, Effect.Effect<Context.Context<never>>>()
  for (const { api, layer } of apis) services.set(api, yield* lazily(Layer.build(layer)))
  const ofEndpoints = new Map<HttpApiEndpoint.Top, App>()
  const ofPaths = new Map<string, App>()
  const app = Effect.provideService(router, MountedApps, {
    ofEndpoint: (api, group, endpoint) =>
      ofEndpoints.get(endpoint) ??
      Effect.flatMap(services.get(api) ?? Effect.succeed(Context.empty()), (built) => {
        const app = LazyGroup.appOf(built, group, endpoint.identifier)
        ofEndpoints.set(endpoint, app)
        return app
      }),
    ofPath: (path) => ofPaths.get(path) ?? Effect.die(new Error(`The server has no app at ${path}`))
  })
  for (const [path, make] of Object.entries(paths)) ofPaths.set(path, yield* make(app))
  return app
})
