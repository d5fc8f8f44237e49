import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as ErrorResponse from "./ErrorResponse.ts"
import { isDecodable, routerConfig } from "./RequestPath.ts"

/** The paths of endpoints and their methods, once per list of APIs and only when a request has no route. */
const routesOf = memoize((apis: ReadonlyArray<HttpApi.Constraint>) => {
  const router = FindMyWay.make<true>(routerConfig)
  const methods = new Set<string>()
  for (const api of apis) {
    HttpApi.reflect(api as HttpApi.Top, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { method, path } }) => {
        for (const each of method === "GET" ? ["GET", "HEAD"] : [method]) {
          methods.add(each)
          router.on(each, path as FindMyWay.PathInput, true)
        }
      }
    })
  }
  return { router, methods }
})

/** Returns the response to a request without a route: 405 if the path has other methods, otherwise 404. */
const notFound = (
  apis: ReadonlyArray<HttpApi.Constraint>,
  detail: string,
  { url }: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const { methods, router } = routesOf(apis)
  const allowed = [...methods].filter((method) => router.find(method, url) !== undefined)
  return allowed.length === 0
    ? ErrorResponse.make(404, detail)
    : ErrorResponse.make(405, "Method Not Allowed", { allow: allowed.join(", ") })
}

/**
 * Paths without a route that the router would match: it takes `*` for `/`, and a slash at the end for an empty id. CDP
 * libraries ask for `/json/version/` and `/json/list/`, which are routes.
 */
const nowhere = /^(?![^?;#]*\/cdp\/json\/(?:list|version)\/(?:[?;#]|$))(?:[^/]|\/*[^/?;#][^?;#]*\/(?:[?;#]|$))/u

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * The request with its undecodable path segments escaped. So `%ff` is an unknown id like any other: the key is checked
 * first, and the operation answers.
 */
const literally = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const end = request.url.search(/[?;#]/u)
  const path = end === -1 ? request.url : request.url.slice(0, end)
  if (isDecodable(path)) return request
  const segments = path.split("/").map((segment) => (isDecodable(segment) ? segment : segment.replaceAll("%", "%25")))
  // `modify` would make a request that does not have the body that was read already
  return Object.create(request, { url: { value: segments.join("/") + request.url.slice(path.length) } })
}

/**
 * Wraps the app of a router: responds to requests without a route, and to bugs with a logged 500 that hides the cause.
 *
 * @param apis The server's endpoints.
 * @param detail The sentence of a 404.
 */
export const around =
  (apis: ReadonlyArray<HttpApi.Constraint>, detail = "Not Found") =>
  <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) => {
    const nothing = ErrorResponse.make(404, detail)
    const routed = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      nowhere.test(request.url) ? Effect.succeed(nothing) : httpEffect
    )
    return Effect.catchCause(Effect.updateService(routed, HttpServerRequest.HttpServerRequest, literally), (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      if (isRouteNotFound(Cause.squash(cause))) {
        return Effect.map(HttpServerRequest.HttpServerRequest, (request) => notFound(apis, detail, literally(request)))
      }
      return Effect.as(Effect.logError("A request failed", cause), ErrorResponse.make(500, "Internal Server Error"))
    })
  }

/** The same as a layer. */
export const layer = (apis: ReadonlyArray<HttpApi.Constraint>, detail?: string) =>
  HttpRouter.middleware((httpEffect) => around(apis, detail)(httpEffect), { global: true })
