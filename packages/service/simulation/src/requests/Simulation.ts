import { apiKeyHeader } from "@webagent/contract/Wire"
import { Console } from "@webagent/server"
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as KeyRedaction from "../journal/KeyRedaction.ts"
import * as CreateHashes from "./CreateHashes.ts"
import type { RequestContext } from "./RequestContext.ts"
import { type ConnectionLost, FaultDelivery } from "../faults/FaultDelivery.ts"
import { Faults } from "../faults/Faults.ts"
import * as FaultInjection from "./FaultInjection.ts"
import type { HttpApp } from "./FaultInjection.ts"
import { Journal } from "../journal/Journal.ts"
import { Limits, type Refusal } from "./Limits.ts"
import { RealClock } from "../time/RealClock.ts"
import { clipped, type Identity, longestPath, makeAttempts, type Target, makeAddresses } from "../journal/Requests.ts"
import { makeRecorder, type RequestRecord } from "./RequestRecord.ts"

/** Facts about the server around a simulation. */
export interface SimulationOptions {
  /** The keys that the server takes: they are not to be seen in the journal. */
  readonly apiKeys?: ReadonlyArray<string>
}

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** Maximum number of bytes of a create's body that are read to identify it; the same as the server reads at all. */
const maxBodySize = ByteSize.mebibytes(1)

/** An address without a server. */
const nowhere = "http://elsewhere.invalid"

const madeBy: Readonly<Partial<Record<Target["operation"], RequestContext["makes"]>>> = {
  "v2.createTask": "turn",
  "v2.createSession": "session",
  "v2.createBrowser": "browser",
  "v3.createSession": "session",
  "v3.createBrowser": "browser",
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
    /**
     * Puts the simulation in front of an app: its journal, limits and faults.
     *
     * @param app - The app, which handles a request.
     * @returns The app with the simulation in front of it.
     * @throws `ConnectionLost` for a caller without a socket, if a fault loses the connection.
     * @example
     * ```ts
     * import { Server, Simulation } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     * import * as Layer from "effect/Layer"
     *
     * export const server = Layer.unwrap(
     *   Effect.map(Simulation, ({ around }) => Server.layerServed({ apiKeys: ["wak_test"], around }))
     * )
     * ```
     */
    readonly around: <E, R>(app: HttpApp<E, R>) => HttpApp<E | ConnectionLost, R | Request>
    /** Counts requests from 1 again, and forgets who has what. */
    readonly reset: Effect.Effect<void>
    /**
     * Sets the target of redirects that don't name one.
     *
     * @param address - An address without a trailing slash, which records requests.
     * @returns An effect that sets it.
     * @example
     * ```ts
     * import { Simulation } from "@webagent/simulation"
     *
     * export const program = Simulation.use((simulation) => simulation.setTrap("http://127.0.0.1:41900/elsewhere"))
     * ```
     */
    readonly setTrap: (address: string) => Effect.Effect<void>
  }
>()("@webagent/simulation/Simulation") {
  /**
   * Provides the simulation in front of a server.
   *
   * @param options - `apiKeys` are those of the server, which the journal must not show.
   * @returns A layer with the simulation.
   * @example
   * ```ts
   * import { Simulation } from "@webagent/simulation"
   *
   * const layer = Simulation.layer({ apiKeys: ["wak_test"] })
   * ```
   */
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

  const { answer, carriedOut, inject } = FaultInjection.make({
    delivery,
    recorder,
    identifyAgain: ({ identity, target }) => identify(target, identity.create),
    elsewhere: () => elsewhere
  })

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
    const limited = {
      identity,
      apiKey: request.headers[keyHeader] ?? "",
      idempotencyKey: request.headers["idempotency-key"]
    }
    const entered = limits.enter(limited, current.clock.currentTimeMillisUnsafe())
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
      // the console looks at the simulation: no fault hits it, and the journal is about clients
      if (Console.isOurs(request.url)) return app
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
