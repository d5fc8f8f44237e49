import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { CreateKey } from "../behavior/CreateKey.ts"
import * as FaultAnswer from "../faults/FaultAnswer.ts"
import type { Answered, ConnectionLost, FaultDelivery } from "../faults/FaultDelivery.ts"
import type { InjectedFault } from "../faults/Faults.ts"
import type { Identity } from "../journal/Requests.ts"
import { ClockSkew } from "../time/SkewedClock.ts"
import { Staleness } from "./ObservedStore.ts"
import { CurrentRequest } from "./RequestContext.ts"
import { isTakenOver, type makeRecorder, type RequestRecord } from "./RequestRecord.ts"

type Response = HttpServerResponse.HttpServerResponse

/** An effect that responds to the current request. */
export type HttpApp<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Handles requests with and without a fault. */
export interface FaultInjection {
  /** Handles a request without a fault. */
  readonly carriedOut: <E, R>(app: HttpApp<E, R>, current: RequestRecord) => HttpApp<E, R>
  /** Responds in place of the operation, and records it. */
  readonly answer: (current: RequestRecord, given: FaultAnswer.FaultAnswer) => HttpApp<ConnectionLost, never>
  /** Handles a request with a fault. */
  readonly inject: <E, R>(
    app: HttpApp<E, R>,
    current: RequestRecord,
    injected: InjectedFault
  ) => HttpApp<E | ConnectionLost, R>
}

interface FaultInjectionOptions {
  readonly delivery: FaultDelivery["Service"]
  readonly recorder: ReturnType<typeof makeRecorder>
  /** Identifies a request that is delivered once more. */
  readonly identifyAgain: (current: RequestRecord) => Identity
  /** Returns the address that redirects lead to unless they name one. */
  readonly elsewhere: () => string
}

/** Makes the handling of requests over the parts of a simulation. */
export const make = ({ delivery, elsewhere, identifyAgain, recorder }: FaultInjectionOptions): FaultInjection => {
  const dated = ({ clock }: RequestRecord, response: Response, skew_ms = 0): Response =>
    response.headers["date"] === undefined
      ? HttpServerResponse.setHeader(response, "date", FaultAnswer.httpDate(clock.currentTimeMillisUnsafe() + skew_ms))
      : response

  /** Provides the key of its create to the handler of a request. */
  const handled = <E, R>(app: HttpApp<E, R>, { context, identity }: RequestRecord): HttpApp<E, R> =>
    identity.create === null
      ? app
      : app.pipe(
          Effect.provideService(CreateKey, { hash: identity.create, ordinal: identity.attempt - 1 }),
          Effect.provideService(CurrentRequest, context)
        )

  /** Handles a request without a fault. */
  const carriedOut = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E, R> =>
    current.dates ? Effect.map(handled(app, current), (response) => dated(current, response)) : handled(app, current)

  const answer = (current: RequestRecord, faulty: FaultAnswer.FaultAnswer): HttpApp<ConnectionLost, never> => {
    if (FaultAnswer.isResponse(faulty)) return Effect.succeed(current.dates ? dated(current, faulty) : faulty)
    current.handedOver = true
    const status = faulty.head?.status ?? null
    const ended = (answered: Answered) => recorder.ended(current, answered, answered === "left" ? null : status, null)
    if (current.injected?.fault.kind !== "refuse-connections") return delivery.deliver(current.request, faulty, ended)
    ended("none")
    const { for: span } = current.injected.fault
    return Effect.andThen(
      delivery.refuseConnections(span),
      delivery.deliver(current.request, faulty, () => undefined)
    )
  }

  const circumstances = ({ clock, request }: RequestRecord): FaultAnswer.Circumstances => ({
    url: request.url,
    now_ms: clock.currentTimeMillisUnsafe(),
    elsewhere: elsewhere()
  })

  /** Handles a request twice, as if the network had delivered it twice; the first response is lost. */
  const twice = <E, R>(app: HttpApp<E, R>, current: RequestRecord): HttpApp<E, R> => {
    // both are counted now, so that what comes meanwhile has the same number whenever the first is done
    const second = identifyAgain(current)
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
    // an upgraded connection has no response that a fault could change
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
        Effect.flatMap(FaultAnswer.spoiled(injected, response, headOnly), (faulty) => answer(current, faulty))
      )
    }
    const replaced = Effect.suspend(() => answer(current, FaultAnswer.inPlace(replacing, circumstances(current))))
    return placement === "before-apply" ? replaced : answered(() => replaced)
  }

  return { answer, carriedOut, inject }
}
