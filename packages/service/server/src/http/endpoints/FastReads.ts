import { ApiKeyAuth } from "@webagent/contract"
import { apiKeyHeader } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Links from "../../api/Links.ts"
import * as V2 from "../../api/v2/Handlers.ts"
import * as V3 from "../../api/v3/Handlers.ts"
import * as V4 from "../../api/v4/Handlers.ts"
import { Engine } from "@webagent/engine"
import { type Operation, operationOf } from "../policy/ApiKeyAuth.ts"
import { Counted } from "../policy/KeyLimits.ts"
import * as Unavailable from "../policy/Unavailable.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type HttpApp<E, R> = Effect.Effect<Response, E, R>

/** A read in its plain case. A failure passes the request on to the operation. */
interface Read extends Operation {
  /** The path with an id as this server writes it, and nothing after it. */
  readonly pattern: RegExp
  readonly route: HttpRouter.Route<never, never>
  readonly answer: (id: string, request: Request) => Effect.Effect<Response, unknown>
}

const header = apiKeyHeader.toLowerCase()
const id = "([\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})"

const read = (operation: Operation, answer: Read["answer"]): Read => {
  const { path } = operation.endpoint
  return {
    ...operation,
    pattern: new RegExp(`^${path.replace(/:\w+/u, id)}$`, "u"),
    route: HttpRouter.route("GET", path as HttpRouter.PathInput, Effect.never),
    answer
  }
}

const json = <View, E>(view: Effect.Effect<View, E>) => Effect.map(view, HttpServerResponse.jsonUnsafe)

/** One response for each status, because its bytes never change. */
const makeStatuses = () => {
  const made = new Map<string, Response>()
  return (view: { readonly status: string }) => {
    const known = made.get(view.status)
    if (known !== undefined) return known
    const response = HttpServerResponse.jsonUnsafe(view)
    made.set(view.status, response)
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
    read(operationOf(runs, "status"), (id) => Effect.map(v4.status(id), statusOf)),
    read(operationOf(runs, "get"), (id, request) => json(v4.get(id, request))),
    read(operationOf(V3.Served.groups.sessions, "get"), (id, request) => json(v3(id, request))),
    read(operationOf(V2.Served.groups.sessions, "get"), (id, request) => json(v2(id, request)))
  ]
}

/** Adds what the router would add to the context. A merge would copy the whole context for each request. */
const routed =
  ({ route }: Read) =>
  <R>(context: Context.Context<R>) =>
    Context.add(Context.add(context, HttpServerRequest.ParsedSearchParams, {}), HttpRouter.RouteContext, {
      params: {},
      route
    })

/**
 * Answers reads, the most frequent requests, at a fraction of the cost of their operations: with the same check of the
 * key and the same handler, but without the decoding and encoding of effect's HttpApi. All other cases go on to the app,
 * so that only the operation decides how a refusal looks: another method, another spelling of the path or id, a query, a
 * refused key, an unknown id. A store that does not answer is not asked again, because each try takes seconds.
 */
export const before = Effect.fnUntraced(function* <E, R>(app: HttpApp<E, R>) {
  const engine = yield* Engine
  const auth = yield* ApiKeyAuth
  const reads = makeReads(engine, yield* Links.make).map((each) => ({ ...each, routed: routed(each) }))
  // polls send the same key again and again
  let key = ""
  let credential = Redacted.make(key)

  const answered = (
    request: Request,
    id: string,
    { answer, endpoint, group, routed }: (typeof reads)[number]
  ): HttpApp<unknown, Request | Scope.Scope> => {
    const given = request.headers[header] ?? ""
    if (given !== key) {
      key = given
      credential = Redacted.make(key)
    }
    const checked = auth.apiKey(Effect.orDie(answer(id, request)), { credential, endpoint, group })
    return Effect.updateContext(checked, routed)
  }

  return Effect.withFiber<Response, E, R | Request | Scope.Scope>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    if (request.method !== "GET") return app
    for (const each of reads) {
      const id = each.pattern.exec(request.url)?.[1]
      if (id === undefined) continue
      return Effect.catchCause(answered(request, id, each), (cause) => {
        const interrupts = cause.reasons.filter(Cause.isInterruptReason)
        if (interrupts.length > 0) return Effect.failCause(Cause.fromReasons(interrupts))
        const unavailable = Unavailable.answer(Cause.squash(cause))
        return unavailable === undefined ? Effect.provideService(app, Counted, true) : Effect.succeed(unavailable)
      })
    }
    return app
  })
})
