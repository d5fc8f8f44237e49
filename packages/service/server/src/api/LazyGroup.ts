import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

type App = Effect.Effect<HttpServerResponse.HttpServerResponse>

type Handler = (request: never) => Effect.Effect<unknown, unknown, unknown>

/** Collects the handlers of a group, like `HttpApiBuilder.Handlers`. */
class Handlers {
  readonly byEndpoint = new Map<string, Handler>()

  handle(endpoint: string, handler: Handler): this {
    this.byEndpoint.set(endpoint, handler)
    return this
  }

  handleAll(handlers: Readonly<Record<string, Handler>>): this {
    for (const [endpoint, handler] of Object.entries(handlers)) this.handle(endpoint, handler)
    return this
  }
}

/** A group in the form that `HttpApiBuilder.layer` reads. */
interface Group {
  readonly routes: ReadonlyArray<HttpRouter.Route<never, never>>
  readonly handlers: ReadonlyMap<string, { readonly endpoint: HttpApiEndpoint.Top; readonly app: App }>
}

/** An effect that is made when it first runs. */
const lazily = (make: () => App): App => {
  let made: App | undefined
  return Effect.suspend(() => (made ??= make()))
}

/**
 * Like `HttpApiBuilder.group`, but the codecs of an endpoint are compiled with its first request. A server has more than
 * a hundred endpoints, and compiling all of them takes longer than most of the tests that start a server.
 */
export const group: typeof HttpApiBuilder.group = (api, identifier, build) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const services = Context.omit(Scope.Scope)(yield* Effect.context<never>())
      const { endpoints, key } = api.groups[identifier] as HttpApiGroup.Constraint as HttpApiGroup.Top
      const built: unknown = build(new Handlers() as never)
      const { byEndpoint } = (Effect.isEffect(built) ? yield* built as Effect.Effect<unknown> : built) as Handlers
      const handlers = new Map<string, { readonly endpoint: HttpApiEndpoint.Top; readonly app: App }>()
      for (const [name, handler] of byEndpoint) {
        const app = lazily(() =>
          Effect.runSync(
            Effect.provideContext(
              HttpApiBuilder.endpoint(
                api as HttpApi.Constraint as HttpApi.Top,
                identifier,
                name as never,
                handler as never
              ),
              services
            ) as never
          )
        )
        handlers.set(name, { endpoint: endpoints[name] as HttpApiEndpoint.Top, app })
      }
      const group: Group = {
        handlers,
        get routes() {
          return Array.from(handlers.values(), ({ app, endpoint }) =>
            HttpRouter.route(endpoint.method, endpoint.path as HttpRouter.PathInput, app)
          )
        }
      }
      return Context.makeUnsafe(new Map([[key, group]]))
    })
  ) as never

/** The same for handlers that use services: a generator gets these, and returns the handlers. */
export const make = <
  ApiId extends string,
  Groups extends HttpApiGroup.Constraint,
  const Identifier extends HttpApiGroup.Identifier<Groups>,
  Used extends Effect.Effect<unknown, unknown, unknown>,
  Made
>(
  api: HttpApi.HttpApi<ApiId, Groups>,
  identifier: Identifier,
  build: (
    handlers: HttpApiBuilder.Handlers.FromGroup<HttpApiGroup.WithIdentifier<Groups, Identifier>>
  ) => Generator<Used, HttpApiBuilder.Handlers.ValidateReturn<Made>, never>
) =>
  group<ApiId, Groups, Identifier, Effect.Effect<Made, Effect.Error<Used>, Effect.Services<Used>>>(
    api,
    identifier,
    Effect.fnUntraced(build) as never
  )

/** The app of an endpoint, from the services of the layers that `group` makes. */
export const appOf = (
  services: Context.Context<never>,
  { key }: Pick<HttpApiGroup.Top, "key">,
  endpoint: string
): App => {
  const group = services.mapUnsafe.get(key) as Group | undefined
  const handler = group?.handlers.get(endpoint)
  return handler === undefined ? Effect.die(new Error(`${key} has no handler of ${endpoint}`)) : handler.app
}
