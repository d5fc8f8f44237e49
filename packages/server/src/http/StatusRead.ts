import { ApiKeyAuth } from "@webagent/contract"
import { RunStatusView } from "@webagent/contract/v4"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Conversion from "../api/v4/Conversion.ts"
import { Served } from "../api/v4/Handlers.ts"
import type { Turn } from "../domain/Turn.ts"
import { Engine } from "../engine/Engine.ts"

type Request = HttpServerRequest.HttpServerRequest
type HttpApp<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** The plain case: an id as this server writes them, and nothing after the path. */
const plain = new RegExp(`^${basePath.v4}/runs/([\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12})/status$`, "u")

const header = apiKeyHeader.toLowerCase()
const { path } = Served.groups.runs.endpoints.status
const route = HttpRouter.route("GET", path, Effect.never)

/** The operation, as the check of the key is told of it. */
const operation = () => {
  const found: Array<{ readonly group: HttpApiGroup.Top; readonly endpoint: HttpApiEndpoint.Top }> = []
  HttpApi.reflect(Served, {
    predicate: ({ endpoint }) => endpoint.path === path,
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => found.push({ endpoint, group })
  })
  return found
}

/** What the router tells a middleware of a request. Added, not merged: a merge copies the whole context each time. */
const routed = <R>(context: Context.Context<R>) =>
  Context.add(Context.add(context, HttpServerRequest.ParsedSearchParams, {}), HttpRouter.RouteContext, {
    params: {},
    route
  })

const encode = Schema.encodeSync(RunStatusView)

/** One answer a status: they are the same bytes every time. */
const makeAnswers = () => {
  const made = new Map<Turn["status"], HttpServerResponse.HttpServerResponse>()
  return (turn: Turn) => {
    const known = made.get(turn.status)
    if (known !== undefined) return known
    const answer = HttpServerResponse.jsonUnsafe(encode(Conversion.statusFromDomain(turn)))
    made.set(turn.status, answer)
    return answer
  }
}

/**
 * Answers the status of a run, which is asked for more than anything else, at half of what its operation costs: the
 * same check of the key and the same look-up, without the decoding and encoding that every operation is built of.
 * What is not its plain case goes on to the app, so the operation alone decides how a refusal looks: another method,
 * another spelling of the path or the id, a query, a key that is not let through, a run that is not there.
 */
export const before = Effect.fnUntraced(function* <E, R>(app: HttpApp<E, R>) {
  const engine = yield* Engine
  const auth = yield* ApiKeyAuth
  const answer = makeAnswers()
  const [status] = operation()
  // whoever polls sends the same key each time
  let key = ""
  let credential = Redacted.make(key)

  return Effect.withFiber<HttpServerResponse.HttpServerResponse, E, R | Request | Scope.Scope>((fiber) => {
    const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
    const id = request.method === "GET" ? plain.exec(request.url)?.[1] : undefined
    if (id === undefined || status === undefined) return app
    const given = request.headers[header] ?? ""
    if (given !== key) {
      key = given
      credential = Redacted.make(key)
    }
    const read = Effect.map(Effect.orDie(engine.turn(id)), answer)
    const { endpoint, group } = status
    const checked = auth.apiKey(read, { credential, endpoint, group })
    return Effect.catchCause(Effect.updateContext(checked, routed), (cause) => {
      const interrupts = cause.reasons.filter(Cause.isInterruptReason)
      return interrupts.length > 0 ? Effect.failCause(Cause.fromReasons(interrupts)) : app
    })
  })
})
