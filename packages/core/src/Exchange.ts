import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import * as Metrics from "./Metrics.ts"
import * as Trace from "./Trace.ts"
import { sendOf, type SendWhole, type WholeAnswer } from "./WholeAnswer.ts"
import {
  ConnectionFailed,
  InvalidRequest,
  Timeout,
  TransportError,
  type TransportErrorReason
} from "./TransportError.ts"

/** A request that is ready to be sent, and what to call it in errors. */
export interface Outgoing {
  /** Without the key: what errors, spans and responses may show. */
  readonly keyless: HttpClientRequest.HttpClientRequest
  readonly keyed: HttpClientRequest.HttpClientRequest
  readonly requestId: string
  /** Which attempt of its call it is, from 1. */
  readonly attempt: number
}

type Phase = "connect" | "headers" | "body"

/** The innermost error that the system gave. */
const systemError = (error: HttpClientError.HttpClientError): unknown => {
  let cause: unknown = "cause" in error.reason ? error.reason.cause : error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
}

const stringIn = (value: unknown, name: string) => {
  const field = value instanceof Error ? Reflect.get(value, name) : undefined
  return typeof field === "string" ? field : undefined
}

/** Sends one attempt and reads its answer to the end. */
export const make = (
  client: HttpClient.HttpClient,
  { timeouts }: ClientConfig["Service"],
  redact: (text: string) => string
): ((outgoing: Outgoing) => Effect.Effect<Answered, TransportError>) => {
  const failed = ({ attempt, keyless: { method, url }, requestId }: Outgoing, reason: TransportErrorReason) =>
    new TransportError({
      ...Call.of({ method, url, requestId, attempt: attempt - Number(reason._tag === "InvalidRequest") }),
      reason
    })

  const toReason = (error: HttpClientError.HttpClientError, took_ms: number): TransportErrorReason => {
    const { reason } = error
    if (reason._tag === "InvalidUrlError" || reason._tag === "EncodeError") {
      return new InvalidRequest({ issue: "the request cannot be encoded: look at its headers" })
    }
    const cause = systemError(error)
    const code = stringIn(cause, "code")
    const syscall = stringIn(cause, "syscall")
    // ETIMEDOUT is also how an established connection may end
    if (code === "UND_ERR_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && syscall === "connect")) {
      return new Timeout({ phase: "connect", after: Duration.millis(took_ms) })
    }
    // a plain error: what libraries hang on theirs may hold the request
    const plain = new Error(redact(cause instanceof Error ? cause.message : String(cause)))
    plain.stack = `${plain.name}: ${plain.message}`
    return new ConnectionFailed({
      ...(code === undefined ? {} : { code }),
      ...(syscall === undefined ? {} : { syscall }),
      cause: plain
    })
  }

  const timedOut = (outgoing: Outgoing, phase: Phase, limit: "headers" | "body" | "total", after: Duration.Duration) =>
    Effect.fail(failed(outgoing, new Timeout({ phase, limit, after })))

  const bounded = <A, E>(
    effect: Effect.Effect<A, E>,
    outgoing: Outgoing,
    after: Duration.Duration | undefined,
    limit: "headers" | "body" | "total",
    phase: () => "headers" | "body"
  ): Effect.Effect<A, E | TransportError> =>
    after === undefined
      ? effect
      : Effect.timeoutOrElse(effect, {
          duration: after,
          orElse: () => timedOut(outgoing, phase(), limit, after)
        })

  const sendWhole = timeouts.headers === undefined && timeouts.body === undefined ? sendOf(client) : undefined

  /** Whether the client can answer in one step, and nothing is asked that it then cannot do. */
  const isPlain = ({ body, hash, headers, urlParams }: HttpClientRequest.HttpClientRequest) =>
    (body._tag === "Empty" || body._tag === "Uint8Array") &&
    urlParams.params.length === 0 &&
    hash._tag === "None" &&
    headers["upgrade"] === undefined

  type Told = (error: HttpClientError.HttpClientError) => TransportError

  /** One callback and one sleeping fiber; a race of two effects would be two, and another two callbacks. */
  const inOneStep = (send: SendWhole, outgoing: Outgoing, fail: Told) =>
    Effect.withFiber((fiber) =>
      Effect.callback<WholeAnswer, TransportError>((resume) => {
        let phase: Phase = "headers"
        const timer = Effect.runForkWith(fiber.context)(Effect.sleep(timeouts.total))
        const end = send(outgoing.keyed, fiber.context, {
          onPhase: (reached) => {
            phase = reached
          },
          onEnd: (end) => {
            timer.interruptUnsafe()
            resume(Effect.mapError(end, fail))
          }
        })
        timer.addObserver((exit) => {
          if (exit._tag === "Failure") return
          // first: what is ended may say so at once, as if the connection were lost
          resume(timedOut(outgoing, phase, "total", timeouts.total))
          end()
        })
        return Effect.sync(() => {
          timer.interruptUnsafe()
          end()
        })
      })
    )

  const inTwoSteps = (outgoing: Outgoing, fail: Told) => {
    let phase: "headers" | "body" = "headers"
    const answer = bounded(
      Effect.mapError(client.execute(outgoing.keyed), fail),
      outgoing,
      timeouts.headers,
      "headers",
      () => "headers"
    )
    const whole = Effect.flatMap(answer, (response) => {
      phase = "body"
      const body = bounded(Effect.mapError(response.arrayBuffer, fail), outgoing, timeouts.body, "body", () => "body")
      return Effect.map(body, (bytes): WholeAnswer => ({
        status: response.status,
        header: (name) => response.headers[name],
        headers: () => ({ ...response.headers }),
        body: bytes
      }))
    })
    return bounded(whole, outgoing, timeouts.total, "total", () => phase)
  }

  const exchange = (outgoing: Outgoing, began_ms: number, clock: Clock.Clock) => {
    const fail: Told = (error) => failed(outgoing, toReason(error, clock.currentTimeMillisUnsafe() - began_ms))
    const { keyed } = outgoing
    const whole =
      sendWhole !== undefined && isPlain(keyed) ? inOneStep(sendWhole, outgoing, fail) : inTwoSteps(outgoing, fail)
    return Effect.map(whole, (whole) => new Answered(outgoing, whole))
  }

  /** What an attempt came to, for metrics, spans and the log. */
  const observe = (
    outgoing: Outgoing,
    began_ms: number,
    clock: Clock.Clock,
    fiber: Fiber.Fiber<unknown, unknown>,
    status: number,
    outcome: string
  ) => {
    const took_ms = clock.currentTimeMillisUnsafe() - began_ms
    const { method, url } = outgoing.keyless
    const { duration, requests } = Metrics.attempts(method, url, status, outcome)
    requests.updateUnsafe(1, fiber.context)
    duration.updateUnsafe(took_ms / 1000, fiber.context)
    if (LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), "Debug")) return Effect.void
    const { origin, pathname } = new URL(url)
    const what = status === 0 ? outcome : String(status)
    return Effect.logDebug(
      `${method} ${origin}${pathname}: ${what} in ${took_ms} ms, attempt ${outgoing.attempt}, request ${outgoing.requestId}`
    )
  }

  const traced = (effect: Effect.Effect<Answered, TransportError>, { attempt, keyless, requestId }: Outgoing) => {
    const url = new URL(keyless.url)
    const annotated = effect.pipe(
      Effect.tap(({ status }) =>
        Effect.annotateCurrentSpan({
          "http.response.status_code": status,
          ...(status >= 400 ? { "error.type": String(status) } : {})
        })
      ),
      Effect.tapError((error) => Effect.annotateCurrentSpan({ "error.type": error.reason._tag }))
    )
    return Effect.withSpan(annotated, keyless.method, {
      kind: "client",
      captureStackTrace: false,
      attributes: {
        "http.request.method": keyless.method,
        ...Call.serverOf(url),
        "url.full": `${url.origin}${url.pathname}`,
        "webagent.request.id": requestId,
        ...(attempt > 1 ? { "http.request.resend_count": attempt - 1 } : {})
      }
    })
  }

  return (outgoing) =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const began_ms = clock.currentTimeMillisUnsafe()
      const tell = (status: number, outcome: string) => observe(outgoing, began_ms, clock, fiber, status, outcome)
      const sent = Effect.matchEffect(exchange(outgoing, began_ms, clock), {
        onSuccess: (answered) => Effect.as(tell(answered.status, `${Math.floor(answered.status / 100)}xx`), answered),
        onFailure: (error) => Effect.andThen(tell(0, error.reason._tag), Effect.fail(error))
      })
      return Trace.isOn(fiber.context) ? traced(sent, outgoing) : sent
    })
}
