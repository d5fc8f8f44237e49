import { basePath, type ApiVersion, operations } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { livePath, recordingPath, sharePath } from "../api/Links.ts"
import { cdpPath } from "../api/v4/Conversion.ts"
import * as ErrorResponse from "./policy/ErrorResponse.ts"
import * as NodeRouting from "./NodeRouting.ts"
import * as Unavailable from "./policy/Unavailable.ts"
import { docsPath, openApiPath } from "./endpoints/Docs.ts"
import { isDecodable, pathOf } from "./policy/RequestPath.ts"
import { stepsPath } from "./endpoints/StepsEndpoint.ts"

const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]

/** Every path of this server with its method, to tell a 404 from a 405. */
const routes: ReadonlyArray<{ readonly method: string; readonly path: string }> = [
  ...versions.flatMap((version) =>
    Object.values(operations[version]).map(({ method, path }) => ({ method, path: `${basePath[version]}${path}` }))
  ),
  ...[
    "/",
    "/health",
    "/ready",
    "/metrics",
    cdpPath("{browser_id}"),
    ...["json", "json/list", "json/version", "devtools/page/{target_id}"].map(
      (path) => `${cdpPath("{browser_id}")}/${path}`
    ),
    `${livePath("{browser_id}")}/{token}`,
    `${livePath("{browser_id}")}/{token}/socket`,
    recordingPath("{id}"),
    recordingPath("{id}/{picture}"),
    sharePath("{session_id}"),
    stepsPath("{run_id}")
  ].map((path) => ({ method: "GET", path })),
  ...versions.flatMap((version) => [openApiPath(version), docsPath(version)].map((path) => ({ method: "GET", path })))
]

const patterns = routes.map(({ method, path }) => ({
  methods: method === "GET" ? ["GET", "HEAD"] : [method],
  pattern: new RegExp(`^${path.replaceAll(".", String.raw`\.`).replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u")
}))

/**
 * Paths without a route that the router would match: it takes `*` for `/`, and a slash at the end for an empty id. CDP
 * libraries ask for `/json/version/` and `/json/list/`, which are routes.
 */
const nowhere = /^(?![^?;#]*\/cdp\/json\/(?:list|version)\/(?:[?;#]|$))(?:[^/]|\/*[^/?;#][^?;#]*\/(?:[?;#]|$))/u

const answer = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const path = pathOf(url)
  const allowed = patterns.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : []))
  // a path that is too long for the router is not found
  return allowed.length === 0 || allowed.includes(method)
    ? ErrorResponse.make(404, "Not Found")
    : ErrorResponse.make(405, "Method Not Allowed", { allow: [...new Set(allowed)].join(", ") })
}

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
 * Answers what no route answers: 404, 405 with `Allow`, 503 with `Retry-After` while something is unavailable, and a
 * logged 500 for a bug, which does not tell its cause.
 */
export const layer = HttpRouter.middleware(
  (httpEffect) => {
    const routed = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      nowhere.test(request.url) ? Effect.succeed(ErrorResponse.make(404, "Not Found")) : NodeRouting.routed(httpEffect)
    )
    return Effect.catchCause(Effect.updateService(routed, HttpServerRequest.HttpServerRequest, literally), (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      const error = Cause.squash(cause)
      const unavailable = Unavailable.answer(error)
      if (unavailable !== undefined) return Effect.succeed(unavailable)
      if (isRouteNotFound(error)) return Effect.map(HttpServerRequest.HttpServerRequest, answer)
      return Effect.as(Effect.logError("A request failed", cause), ErrorResponse.make(500, "Internal Server Error"))
    })
  },
  { global: true }
)
