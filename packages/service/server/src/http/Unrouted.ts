import { basePath, type ApiVersion, operations } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { livePath, recordingPath, sharePath } from "../api/Links.ts"
import { cdpPath } from "../api/v4/Conversion.ts"
import * as Answer from "./Answer.ts"
import * as NodeRouting from "./NodeRouting.ts"
import * as Unavailable from "./Unavailable.ts"
import { docsPath, openApiPath } from "./Docs.ts"
import { isDecodable, pathOf } from "./Path.ts"
import { stepsPath } from "./StepsEndpoint.ts"

const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]

/** Every path of this server with its methods, to tell a wrong path from a wrong method. */
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
 * The router takes `*` for `/`, and what ends with a slash for a path with an empty id. CDP libraries ask for
 * `/json/version/` and `/json/list/`.
 */
const nowhere = /^(?![^?;#]*\/cdp\/json\/(?:list|version)\/(?:[?;#]|$))(?:[^/]|\/*[^/?;#][^?;#]*\/(?:[?;#]|$))/u

const answer = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
  const path = pathOf(url)
  const allowed = patterns.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : []))
  // what the router refuses for its length is not found either
  return allowed.length === 0 || allowed.includes(method)
    ? Answer.detail(404, "Not Found")
    : Answer.detail(405, "Method Not Allowed", { allow: [...new Set(allowed)].join(", ") })
}

const isRouteNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/**
 * The request with every path segment that cannot be decoded taken as it is written, so that `%ff` is an id like
 * any other that does not exist: the key is checked first, and the operation answers in its own words.
 */
const literally = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const end = request.url.search(/[?;#]/u)
  const path = end === -1 ? request.url : request.url.slice(0, end)
  if (isDecodable(path)) return request
  const segments = path.split("/").map((segment) => (isDecodable(segment) ? segment : segment.replaceAll("%", "%25")))
  // not `modify`, which makes a request that does not know the body that was read already
  return Object.create(request, { url: { value: segments.join("/") + request.url.slice(path.length) } })
}

/**
 * Answers what no route answers: 404, 405 with `Allow`, 503 with `Retry-After` for what cannot be done right now, and
 * for a mistake of our own a 500 that is logged and says nothing of its cause.
 */
export const layer = HttpRouter.middleware(
  (httpEffect) => {
    const routed = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      nowhere.test(request.url) ? Effect.succeed(Answer.detail(404, "Not Found")) : NodeRouting.routed(httpEffect)
    )
    return Effect.catchCause(Effect.updateService(routed, HttpServerRequest.HttpServerRequest, literally), (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      const error = Cause.squash(cause)
      const unavailable = Unavailable.answer(error)
      if (unavailable !== undefined) return Effect.succeed(unavailable)
      if (isRouteNotFound(error)) return Effect.map(HttpServerRequest.HttpServerRequest, answer)
      return Effect.as(Effect.logError("A request failed", cause), Answer.detail(500, "Internal Server Error"))
    })
  },
  { global: true }
)
