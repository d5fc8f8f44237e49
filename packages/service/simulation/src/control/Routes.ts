import { ControlApi, controlPath } from "@webagent/control"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { ErrorResponse } from "@webagent/server"

/** Path of the control API's OpenAPI document, which needs no key. */
export const openApiPath = `${controlPath}/openapi.json`

const routes: Array<{ readonly method: string; readonly pattern: RegExp }> = [
  { method: "GET", pattern: new RegExp(`^${openApiPath.replaceAll(".", String.raw`\.`)}$`, "u") }
]

HttpApi.reflect(ControlApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path } }) =>
    routes.push({ method, pattern: new RegExp(`^${path.replaceAll(/:\w+/gu, "[^/]+")}$`, "u") })
})

const answer = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const [path = ""] = url.split(/[?#]/u, 1)
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  return allowed.length === 0 || allowed.includes(method)
    ? ErrorResponse.make(404, `Not found. The control API is described at ${openApiPath}.`)
    : ErrorResponse.make(405, "Method Not Allowed", { allow: [...new Set(allowed)].join(", ") })
}

/** The OpenAPI document, made when it is first asked for. */
export const document = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const made = yield* Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(ControlApi))))
    yield* router.add("GET", openApiPath, made)
  })
)

/** Answers what no route answers, in JSON; a mistake of our own is a 500 that is logged. */
export const unrouted = HttpRouter.middleware(
  (httpEffect) =>
    Effect.catchCause(httpEffect, (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      const error = Cause.squash(cause)
      if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
        return Effect.map(HttpServerRequest.HttpServerRequest, answer)
      }
      return Effect.as(
        Effect.logError("A control request failed", cause),
        ErrorResponse.make(500, "Internal Server Error")
      )
    }),
  { global: true }
)
