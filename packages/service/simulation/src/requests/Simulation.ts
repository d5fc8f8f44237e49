import { apiKeyHeader } from "@webagent/contract/Wire"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { CreateKey } from "../behaviour/CreateKey.ts"
import * as KeyRedaction from "../journal/KeyRedaction.ts"
import * as CreateHashes from "./CreateHashes.ts"
import { CurrentRequest, type RequestContext } from "./RequestContext.ts"
import * as FaultAnswer from "../faults/FaultAnswer.ts"
import { type Answered, type ConnectionLost, FaultDelivery } from "../faults/FaultDelivery.ts"
import { Faults, type InjectedFault } from "../faults/Faults.ts"
import { Journal } from "../journal/Journal.ts"
import { Limits, type Refusal } from "./Limits.ts"
import { Staleness } from "./ObservedStore.ts"
import { RealClock } from "../time/RealClock.ts"
import { clipped, type Identity, longestPath, makeAttempts, type Target, makeAddresses } from "../journal/Requests.ts"
import { ClockSkew } from "../time/SkewedClock.ts"
import { isTakenOver, makeRecorder, type RequestRecord } from "./RequestRecord.ts"

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

/** An address without a server. */
const nowhere = "http://elsewhere.invalid"

const madeBy: Readonly<Partial<Record<Target["operation"], RequestContext["makes"]>>> = {
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

/** From how far off on service time is worth a `Date` of its own. */
const noticeable_ms = 1000

/**
 * Everything that a simulated service does around its operations. It stands in front of all routes: what it does
 * not hit passes through at the cost of a row in the journal.
 */
export class Simulation extends Context.Service<
  Simulation,
  {
    /** The app with the simulation in front of it. */
    readonly around: <E, R>(app: HttpApp<E, R>) => HttpApp<E | ConnectionLost, R | Request>
    /** Counts requests from 1 again, and forgets who has what. */
    readonly reset: Effect.Effect<void>
    /** Where redirects lead that do not say: an address without a slash at the end, that records what comes. */
    readonly setTrap: (address: string) => Effect.Effect<void>
  }
>()("@webagent/simulation/Simulation") {
  /** The simulation over its parts. */
  static readonly layer = (
    options: SimulationOptions = {}
  ): Layer.Layer<Simulation, never, Journal | Limits | Faults | FaultDelivery> =>
    Layer.effect(Simulation, make(options))
}

const make = Effect.fnUntraced(function* (options: SimulationOptions) {
  const journal = yield* Journal
  const limits = yield* Limits
  const faults = yield* Faults
  const delivery = yield* FaultDelivery
  const attempts = makeAttempts()
  const creates = CreateHashes.make()
  const keys = KeyRedaction.make(options.apiKeys ?? [])
  const addressOf = makeAddresses((url) => clipped(keys.redact(url), longestPath))
  const recorder = makeRecorder(journal, keys)
  let elsewhere = nowhere

  const identify = (target: Target, create: string | null): Identity => ({
    operation: target.operation,
    resource: target.resource,
    creates: target.creates,
    reads: target.reads,
    create,
    attempt: attempts.next(target.operation, create ?? target.resource ?? "")
  })

  const dated = ({ clock }: RequestRecord, response: Response, skew_ms = 0): Response =>
    response.headers["date"] === undefined
      ? HttpServerResponse.setHeader(response, "date", FaultAnswer.httpDate(clock.currentTimeMillisUnsafe() + skew_ms))
      : response

  /** The handler of a request under the key of its create. */
  const handled = <E, R>(app: HttpApp<E, R>, { context, identity }: RequestRecord): HttpApp<E, R> =>
    identity.create === null
      ? app
      : app.pipe(
          Effect.provideService(CreateKey, { hash: identity.create, ordinal: identity.attempt - 1 }),
          Effect.provideService(CurrentRequest, context)
        )

  /** The request as it would be carried out if nothing hit it. */
  const carriedOut = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E, R> =>
    current.dates ? Effect.map(handled(app, current), (response) => dated(current, response)) : handled(app, current)

  const answer = (current: RequestRecord, given: FaultAnswer.FaultAnswer): HttpApp<ConnectionLost, never> => {
    if (FaultAnswer.isResponse(given)) return Effect.succeed(current.dates ? dated(current, given) : given)
    current.handedOver = true
    const status = given.head?.status ?? null
    const ended = (answered: Answered) => recorder.ended(current, answered, answered === "left" ? null : status, null)
    if (current.injected?.fault.kind !== "refuse-connections") return delivery.deliver(current.request, given, ended)
    ended("none")
    const { for: span } = current.injected.fault
    return Effect.andThen(
      delivery.refuseConnections(span),
      delivery.deliver(current.request, given, () => undefined)
    )
  }

  const circumstances = ({ clock, request }: RequestRecord): FaultAnswer.Circumstances => ({
    url: request.url,
    now_ms: clock.currentTimeMillisUnsafe(),
    elsewhere
  })

  /** The network delivers a request twice: the first answer goes nowhere. */
  const twice = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E, R> => {
    // both are counted now, so that what comes meanwhile has the same number whenever the first is done
    const second = identify(current.target, current.identity.create)
    return Effect.flatMap(carriedOut(app, current), () => {
      recorder.ended(current, "none", null, null)
      current.identity = second
      if (current.context !== undefined) current.context = { ...current.context, made: null }
      return carriedOut(app, current)
    })
  }

  const inject = <E, R>(
    app: HttpApp<E, R>,
    current: RequestRecord,
    injected: InjectedFault
  ): HttpApp<E | ConnectionLost, R> => {
    const { fault, placement } = injected
    if (fault.kind === "duplicate-delivery") return twice(app, current)
    if (fault.kind === "clock-skew") {
      const by_ms = Duration.toMillis(fault.by) * (fault.direction === "fast" ? 1 : -1)
      return Effect.map(Effect.provideService(handled(app, current), ClockSkew, by_ms), (response) =>
        dated(current, response, by_ms)
      )
    }
    const done = carriedOut(app, current)
    // a connection that speaks another protocol by now, or did, has no answer to hit
    const answered = <E2, R2>(then: (response: Response) => HttpApp<E2, R2>): HttpApp<E | E2, R | R2> =>
      Effect.flatMap(done, (response): HttpApp<E2, R2> =>
        isTakenOver(current.request, response) ? Effect.succeed(response) : then(response)
      )
    if (fault.kind === "stale-read") return Effect.provideService(done, Staleness, Duration.toMillis(fault.lag))
    if (fault.kind === "slow-headers") {
      const slow = Effect.interruptible(Effect.sleep(fault.for))
      return placement === "before-apply"
        ? Effect.andThen(slow, done)
        : answered((response) => Effect.as(slow, response))
    }
    const replacing = FaultAnswer.replacingFault(injected)
    if (replacing === undefined) {
      const headOnly = current.request.method === "HEAD"
      return answered((response) =>
        Effect.flatMap(FaultAnswer.spoiled(injected, response, headOnly), (given) => answer(current, given))
      )
    }
    const replaced = Effect.suspend(() => answer(current, FaultAnswer.inPlace(replacing, circumstances(current))))
    return placement === "before-apply" ? replaced : answered(() => replaced)
  }

  /** Serves a request whose operation and resource are known by now, with the fault that hits it. */
  const identified = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E | ConnectionLost, R> => {
    const injected = faults.matcherUnsafe()?.of(current.identity, current.at_ms)
    if (injected === undefined) return carriedOut(app, current)
    current.injected = injected
    recorder.injected(current, injected)
    return inject(app, current, injected)
  }

  /** A request behind what its caller's limits let in, and for how long the service thinks. */
  const limited = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E | ConnectionLost, R> => {
    const { context, identity, request } = current
    const asked = {
      identity,
      apiKey: request.headers[keyHeader] ?? "",
      idempotencyKey: request.headers["idempotency-key"]
    }
    const entered = limits.enter(asked, current.clock.currentTimeMillisUnsafe())
    if ("refusal" in entered) return answer(current, refused(entered.refusal))
    if (context !== undefined) context.slot = entered.slot
    const latency_ms = limits.latency_ms(identity)
    const met = identified(app, current)
    return latency_ms === 0 ? met : Effect.andThen(Effect.interruptible(Effect.sleep(latency_ms)), met)
  }

  const create = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E | ConnectionLost, R> =>
    Effect.flatMap(bodyOf(current.request), (body) => {
      const { operation, resource } = current.target
      const idempotencyKey = current.request.headers["idempotency-key"]
      current.identity = identify(current.target, creates.of({ operation, resource, idempotencyKey, body }))
      current.context = { makes: madeBy[operation] ?? null, made: null, slot: null }
      return limited(app, current)
    })

  const around = <E, R>(app: HttpApp<E, R>): HttpApp<E | ConnectionLost, R | Request> =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const clock = fiber.getRef(Clock.Clock)
      const { shown, target } = addressOf(request.method, request.url)
      const at_ms = clock.currentTimeMillisUnsafe()
      const realAt_ms = fiber.getRef(RealClock).currentTimeMillisUnsafe()
      const current: RequestRecord = {
        request,
        shown,
        target,
        clock,
        at_ms,
        realAt_ms,
        dates: Math.abs(at_ms - realAt_ms) > noticeable_ms,
        after: journal.lastUnsafe(),
        identity: target.creates ? { ...target, create: null, attempt: 1 } : identify(target, null),
        context: undefined,
        injected: undefined,
        handedOver: false
      }
      return Effect.onExitPrimitive(
        target.creates ? create(app, current) : limits.inForce() ? limited(app, current) : identified(app, current),
        (exit) => {
          const slot = current.context?.slot
          if (slot !== null && slot !== undefined) limits.leave(slot)
          recorder.exited(current, exit)
          return undefined
        },
        true
      )
    })

  return Simulation.of({
    around,
    reset: Effect.andThen(
      Effect.sync(() => {
        attempts.clear()
        creates.clear()
      }),
      limits.clear
    ),
    setTrap: (address) => Effect.sync(() => void (elsewhere = address))
  })
})
