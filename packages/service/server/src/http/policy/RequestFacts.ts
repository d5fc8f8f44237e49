import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as Random from "effect/Random"
import { senderOf, type TrustedProxies } from "../../api/TrustedProxies.ts"

/** The header with the id of a request. A proxy or client may set it; each response has it. */
export const requestIdHeader = "x-request-id"

/** Facts about the current request for its log lines. */
export interface RequestFacts {
  readonly id: string
  /** Returns the address of the client, as trusted proxies or the node that sent the request on report it. */
  address: () => string
  /** The name of its API key, as soon as the key is accepted. */
  key: string | undefined
  /** The path of its operation, such as `/api/v4/runs/:run_id`, as soon as its key is checked. */
  route: string | undefined
}

/** The facts about the current request; null where requests aren't logged. */
export const RequestFacts: Context.Reference<RequestFacts | null> = Context.Reference("@webagent/server/RequestFacts", {
  defaultValue: (): RequestFacts | null => null
})

/** Keeps other characters out of the log. */
const validId = /^[\w.:-]{1,64}$/u

/** Reads the address when it's used, because few requests have a log line that needs it. */
const addressOf = (request: HttpServerRequest.HttpServerRequest, isTrusted: TrustedProxies) => () =>
  senderOf(request, isTrusted).address ?? "unknown"

/** Returns the facts of a new request. */
export const make = (
  request: HttpServerRequest.HttpServerRequest,
  random: Random.Random,
  isTrusted: TrustedProxies
): RequestFacts => {
  const { [requestIdHeader]: id = "" } = request.headers
  return {
    id: validId.test(id) ? id : Math.floor(random.nextDoubleUnsafe() * 2 ** 52).toString(36),
    address: addressOf(request, isTrusted),
    key: undefined,
    route: undefined
  }
}

/** Notes the address of the client of a request that another node sent on. */
export const noteForwarded = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const facts = fiber.getRef(RequestFacts)
    if (facts !== null) facts.address = addressOf(request, () => true)
    return Effect.void
  })

/** Notes the name of the key that a request was accepted with. */
export const noteKey = <A, E, R>(name: string, accepted: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const facts = fiber.getRef(RequestFacts)
    if (facts !== null) facts.key = name
    return accepted
  })

/** Notes both for a request whose key is accepted at once. */
export const noteAccepted = <A, E, R>(
  route: string,
  name: string,
  app: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const facts = fiber.getRef(RequestFacts)
    if (facts !== null) {
      facts.route = route
      facts.key = name
    }
    return app
  })

/** Notes the path of the operation of a request. */
export const noteRoute = <A, E, R>(route: string, app: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const facts = fiber.getRef(RequestFacts)
    if (facts !== null) facts.route = route
    return app
  })
