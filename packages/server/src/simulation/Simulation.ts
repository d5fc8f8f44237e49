import { apiKeyHeader } from "@webagent/contract/Wire"
import type { RequestEntry } from "@webagent/control"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { CreateKey } from "../engine/CreateKey.ts"
import * as ApiKeys from "./ApiKeys.ts"
import { CurrentExchange, type Exchange } from "./Exchange.ts"
import { Journal } from "./Journal.ts"
import { Limits, type Refusal } from "./Limits.ts"
import { RealClock } from "./RealClock.ts"
import { createHash, type Identity, makeAttempts, type Target, targetOf } from "./Requests.ts"

/** What a simulation has to know of the server around it. */
export interface SimulationOptions {
  /** The keys that the server takes: they are not to be seen in the journal. */
  readonly apiKeys?: ReadonlyArray<string>
}

/** An effect that answers the current request. */
export type HttpApp<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** How much of a create's body is read to know which one it is; the same as the server reads at all. */
const maxBodySize = ByteSize.mebibytes(1)

/** When a request came. */
interface Arrival {
  readonly at_ms: number
  readonly realAt_ms: number
  /** The last row of the journal then. */
  readonly after: number
  readonly clock: Clock.Clock
}

/** How a request ended. */
interface Ending {
  readonly status: number | null
  readonly retryAfter_ms: number | null
  readonly answered: (typeof RequestEntry.Type)["answered"]
}

const left: Ending = { status: null, retryAfter_ms: null, answered: "left" }

const retryAfter_ms = (response: Response, now_ms: number): number | null => {
  const value = response.headers["retry-after"]
  if (value === undefined) return null
  const asked = /^\d+$/u.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - now_ms)
  return Number.isFinite(asked) ? asked : null
}

const madeBy: Readonly<Partial<Record<Target["operation"], Exchange["makes"]>>> = {
  "v3.createSession": "session",
  "v4.createRun": "turn",
  "v4.queueMessage": "turn",
  "v4.createBrowser": "browser"
}

const keyHeader = apiKeyHeader.toLowerCase()

const refused = ({ detail, retryAfter }: Refusal): Response =>
  HttpServerResponse.jsonUnsafe(
    { detail },
    { status: 429, headers: retryAfter === null ? {} : { "retry-after": retryAfter } }
  )

/** The body of a create as it was sent; empty if it cannot be read, which its operation will find out too. */
const bodyOf = (request: Request): Effect.Effect<string> =>
  Number(request.headers["content-length"]) > ByteSize.toNumberUnsafe(maxBodySize)
    ? Effect.succeed("")
    : request.text.pipe(
        Effect.orElseSucceed(() => ""),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBodySize),
        Effect.interruptible
      )

/**
 * Everything that a simulated service does around its operations. It stands in front of all routes: what it does
 * not strike passes through at the cost of a row in the journal.
 */
export class Simulation extends Context.Service<
  Simulation,
  {
    /** The app with the simulation in front of it. */
    readonly around: <E, R>(app: HttpApp<E, R>) => HttpApp<E, R | Request>
    /** Counts requests from 1 again, and forgets who has what. */
    readonly reset: Effect.Effect<void>
  }
>()("@webagent/server/Simulation") {
  /** The simulation over its parts. */
  static readonly layer = (options: SimulationOptions = {}): Layer.Layer<Simulation, never, Journal | Limits> =>
    Layer.effect(Simulation, make(options))
}

const make = Effect.fnUntraced(function* (options: SimulationOptions) {
  const journal = yield* Journal
  const limits = yield* Limits
  const attempts = makeAttempts()
  const keys = ApiKeys.make(options.apiKeys ?? [])

  const record = (request: Request, identity: Identity, arrival: Arrival, ending: Ending, made: string | null) => {
    if (!journal.enabled) return
    const { headers } = request
    journal.recordUnsafe({
      type: "request",
      seq: 0,
      at_ms: arrival.at_ms,
      realAt_ms: arrival.realAt_ms,
      operation: identity.operation,
      resource: identity.resource,
      create: identity.create,
      attempt: identity.attempt,
      after: arrival.after,
      method: request.method,
      path: keys.redact(request.url),
      apiKey: keys.digestOf(request),
      idempotencyKey: headers["idempotency-key"] ?? null,
      userAgent: headers["user-agent"] ?? null,
      status: ending.status,
      retryAfter_ms: ending.retryAfter_ms,
      answered: ending.answered,
      made,
      fault: null,
      duration_ms: arrival.clock.currentTimeMillisUnsafe() - arrival.at_ms
    })
  }

  const endingOf = <E>(exit: Exit.Exit<Response, E>, arrival: Arrival): Ending => {
    if (exit._tag === "Failure") return left
    const asked = retryAfter_ms(exit.value, arrival.clock.currentTimeMillisUnsafe())
    return { status: exit.value.status, retryAfter_ms: asked, answered: "whole" }
  }

  /** The app behind what its caller's limits let in and how long the service thinks. */
  const limited = <E, R>(
    app: HttpApp<E, R>,
    request: Request,
    identity: Identity,
    arrival: Arrival,
    exchange?: Exchange
  ): HttpApp<E, R> => {
    const { headers } = request
    const asked = { identity, apiKey: headers[keyHeader] ?? "", idempotencyKey: headers["idempotency-key"] }
    const entered = limits.enter(asked, arrival.clock.currentTimeMillisUnsafe())
    if ("refusal" in entered) return Effect.succeed(refused(entered.refusal))
    if (exchange !== undefined) exchange.place = entered.place
    const latency_ms = limits.latency_ms(identity)
    return latency_ms === 0 ? app : Effect.andThen(Effect.interruptible(Effect.sleep(latency_ms)), app)
  }

  /** Carries out a create under its key, so that its ids do not depend on what else goes on. */
  const create = <E, R>(app: HttpApp<E, R>, request: Request, target: Target, arrival: Arrival): HttpApp<E, R> => {
    const exchange: Exchange = { makes: madeBy[target.operation] ?? null, made: null, place: null }
    let identity: Identity = { ...target, create: null, attempt: 1 }
    const carriedOut = Effect.flatMap(bodyOf(request), (body) => {
      const { operation, resource } = target
      const hash = createHash({ operation, resource, idempotencyKey: request.headers["idempotency-key"], body })
      identity = { ...target, create: hash, attempt: attempts.next(operation, hash) }
      return limited(app, request, identity, arrival, exchange).pipe(
        Effect.provideService(CreateKey, { hash, ordinal: identity.attempt - 1 }),
        Effect.provideService(CurrentExchange, exchange)
      )
    })
    return Effect.onExitPrimitive(
      carriedOut,
      (exit) => {
        if (exchange.place !== null) limits.leave(exchange.place)
        record(request, identity, arrival, endingOf(exit, arrival), exchange.made)
        return undefined
      },
      true
    )
  }

  const around = <E, R>(app: HttpApp<E, R>): HttpApp<E, R | Request> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const clock = fiber.getRef(Clock.Clock)
      const at_ms = clock.currentTimeMillisUnsafe()
      const realAt_ms = fiber.getRef(RealClock).currentTimeMillisUnsafe()
      const arrival = { at_ms, realAt_ms, after: journal.lastUnsafe(), clock }
      const target = targetOf(request.method, request.url)
      if (target.creates) return create(app, request, target, arrival)
      const inForce = limits.inForce()
      if (!journal.enabled && !inForce) return app
      const { creates, operation, resource } = target
      const attempt = attempts.next(operation, resource ?? "")
      const identity: Identity = { operation, resource, creates, create: null, attempt }
      return Effect.onExitPrimitive(
        inForce ? limited(app, request, identity, arrival) : app,
        (exit) => {
          record(request, identity, arrival, endingOf(exit, arrival), null)
          return undefined
        },
        true
      )
    })

  return Simulation.of({ around, reset: Effect.andThen(Effect.sync(attempts.clear), limits.clear) })
})
