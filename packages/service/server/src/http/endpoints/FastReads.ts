import { ApiKeyAuth } from "@webagent/contract"
import { apiKeyHeader } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Types from "effect/Types"
import { isRefusal } from "../../api/Refusal.ts"
import * as Links from "../../api/Links.ts"
import * as V2 from "../../api/v2/Handlers.ts"
import * as V3 from "../../api/v3/Handlers.ts"
import * as V4 from "../../api/v4/Handlers.ts"
import { Engine } from "@webagent/engine"
import { type Operation, operationOf } from "../policy/ApiKeyAuth.ts"
import { Counted } from "../policy/KeyLimits.ts"
import * as RefusalResponse from "../policy/RefusalResponse.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type HttpApp<E, R> = Effect.Effect<Response, E, R>

/** A read of a record by the id in its path. A failure passes the request on to the operation. */
interface Read extends Operation {
  readonly respond: (id: string, request: Request) => Effect.Effect<Response, unknown>
}

const header = apiKeyHeader.toLowerCase()

/** An id as this server writes it. */
const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u

const json = <View, E>(view: Effect.Effect<View, E>) => Effect.map(view, HttpServerResponse.jsonUnsafe)

/** One response for each status, because its bytes never change. */
const makeStatuses = () => {
  const responses = new Map<string, Response>()
  return (view: { readonly status: string }) => {
    const existing = responses.get(view.status)
    if (existing !== undefined) return existing
    const response = HttpServerResponse.jsonUnsafe(view)
    responses.set(view.status, response)
    return response
  }
}

/** The reads, with that of the most frequent poll first. */
const makeReads = (engine: Engine["Service"], linksOf: Effect.Success<typeof Links.make>): ReadonlyArray<Read> => {
  const statusOf = makeStatuses()
  const v2 = V2.read(engine, linksOf)
  const v3 = V3.read(engine, linksOf)
  const v4 = V4.reads(engine, linksOf)
  const { runs } = V4.Served.groups
  return [
    { ...operationOf(runs, "status"), respond: (id) => Effect.map(v4.status(id), statusOf) },
    { ...operationOf(runs, "get"), respond: (id, request) => json(v4.get(id, request)) },
    { ...operationOf(V3.Served.groups.sessions, "get"), respond: (id, request) => json(v3(id, request)) },
    { ...operationOf(V2.Served.groups.sessions, "get"), respond: (id, request) => json(v2(id, request)) }
  ]
}

/** Adds the router's services to the context. A merge would copy the whole context for each request. */
const routed =
  (route: HttpRouter.Route<never, never>) =>
  <R>(context: Context.Context<R>) =>
    Context.add(Context.add(context, HttpServerRequest.ParsedSearchParams, {}), HttpRouter.RouteContext, {
      params: {},
      route
    })

/** A read with what a request for it needs. The id is between the two parts of the endpoint's path. */
const matching = (read: Read) => {
  const { path } = read.endpoint
  const [start = "", end = ""] = path.split(/:\w+/u)
  const addServices = routed(HttpRouter.route("GET", path as HttpRouter.PathInput, Effect.never))
  return { ...read, start, end, addServices }
}

/**
 * Responds to reads, the most frequent requests, at a fraction of the cost of their operations: with the same check of
 * the key and the same handler, but without the decoding and encoding of effect's HttpApi. All other cases go on to the
 * app, so that only the operation decides how an error looks: another method, another spelling of the path, a refused key,
 * an unknown id. A store that does not respond is not queried again, because each attempt takes seconds.
 */
export const before = Effect.fnUntraced(function* <E, R>(app: HttpApp<E, R>) {
  const engine = yield* Engine
  const auth = yield* ApiKeyAuth
  const reads = makeReads(engine, yield* Links.make).map(matching)
  // polls send the same key again and again
  let key = ""
  let credential = Redacted.make(key)

  return Effect.withFiber<Response, E, R | Request | Scope.Scope>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    if (request.method !== "GET") return app
    const { url } = request
    const read = reads.find(({ end, start }) => url.startsWith(start) && url.endsWith(end))
    const id = read === undefined ? "" : url.slice(read.start.length, url.length - read.end.length)
    if (read === undefined || !isId.test(id)) return app
    const { [header]: sentKey = "" } = request.headers
    if (sentKey !== key) {
      key = sentKey
      credential = Redacted.make(key)
    }
    // the check passes failures of the read through
    const response = read.respond(id, request) as Effect.Effect<Response, Types.unhandled>
    const checked = auth.apiKey(response, { credential, endpoint: read.endpoint, group: read.group })
    return Effect.catchCause(Effect.updateContext(checked, read.addServices), (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.interrupt
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      return isRefusal(error) ? Effect.succeed(RefusalResponse.make(error)) : Effect.provideService(app, Counted, true)
    })
  })
})
