import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import * as CallOptions from "./CallOptions.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import { most_bytes, TooLarge } from "./ContentCoding.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Elapsed from "./Elapsed.ts"
import { innermost } from "./Innermost.ts"
import * as Metrics from "./Metrics.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Trace from "./Trace.ts"
import type { SendWhole } from "./WholeAnswer.ts"
import {
  AnswerTooLarge,
  ConnectionFailed,
  InvalidRequest,
  Timeout,
  TransportError,
  type TransportErrorReason
} from "./TransportError.ts"

type Phase = "connect" | "headers" | "body"

const unsendable = () => new InvalidRequest({ issue: "the request cannot be encoded: look at its headers" })

/** The innermost error that the system gave. */
const systemError = (error: unknown): unknown => {
  const cause = innermost(error)
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
}

const stringIn = (value: unknown, name: string) => {
  const field = value instanceof Error ? Reflect.get(value, name) : undefined
  return typeof field === "string" ? field : undefined
}

/** What an exchange is made with. */
interface ExchangeOptions {
  readonly send: SendWhole
  /** Options for fetch. */
  readonly options: RequestInit
  readonly timeouts: ClientConfig["Service"]["timeouts"]
  /** The headers with the key. */
  readonly keyed: (headers: Outgoing["headers"]) => Outgoing["headers"]
  readonly redact: (text: string) => string
}

/** Sends one attempt and reads its answer to the end. */
export const make = ({
  keyed,
  options,
  redact,
  send,
  timeouts
}: ExchangeOptions): ((outgoing: Outgoing) => Effect.Effect<Answered, TransportError>) => {
  /** What fetch is told beside the request, by the call or by the client. */
  const optionsOf = (context: Context.Context<never>): RequestInit => {
    const own = Context.getOrUndefined(context, FetchHttpClient.RequestInit)
    return own === undefined ? options : { ...options, ...own, redirect: "manual" }
  }

  const failed = (outgoing: Outgoing, reason: TransportErrorReason) =>
    new TransportError({
      ...Call.of(outgoing),
      ...(reason._tag === "InvalidRequest" ? { attempts: outgoing.attempt - 1 } : {}),
      reason
    })

  /** What a fetch of the caller's throws may throw once more when it is read. */
  const toReason = (error: unknown, took_ms: number, phase: Phase): TransportErrorReason => {
    try {
      return reasonOf(error, took_ms, phase)
    } catch {
      return new ConnectionFailed({ phase, cause: new Error("what was thrown cannot be read") })
    }
  }

  const reasonOf = (error: unknown, took_ms: number, phase: Phase): TransportErrorReason => {
    const cause = systemError(error)
    if (cause instanceof TooLarge) return new AnswerTooLarge({ limit_bytes: most_bytes })
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
      phase,
      cause: plain
    })
  }

  const deadlines = Deadlines.make(timeouts.total)
  const limitOf = (after: Duration.Duration | undefined) =>
    after === undefined ? undefined : { after, deadlines: Deadlines.make(after) }
  const limits = { headers: limitOf(timeouts.headers), body: limitOf(timeouts.body) }

  /** The longest time of an attempt: a call with a timeout of its own has what is left of that. */
  const totalOf = (fiber: Fiber.Fiber<unknown, unknown>, now_ms: number): Duration.Duration => {
    const deadline_ms = fiber.getRef(RetryPolicy.Deadline)
    return fiber.getRef(CallOptions.Current).timeout === undefined || !Number.isFinite(deadline_ms)
      ? timeouts.total
      : Duration.millis(Math.max(1, deadline_ms - now_ms))
  }

  type Answering = Effect.Effect<Answered, TransportError>

  /** What an attempt came to, for metrics, spans and the log. */
  const observe = (
    { attempt, method, requestId, url }: Outgoing,
    took_ms: number,
    { context }: Fiber.Fiber<unknown, unknown>,
    status: number,
    end: Answering,
    reason?: string
  ): Answering => {
    const { duration, requests } = Metrics.attempts(method, url, status, reason ?? `${Math.floor(status / 100)}xx`)
    requests.updateUnsafe(1, context)
    duration.updateUnsafe(took_ms / 1000, context)
    if (LogLevel.isGreaterThan(Context.get(context, References.MinimumLogLevel), "Debug")) return end
    const line = `${method} ${url.replace(/[?#].*/u, "")}: ${reason ?? status} in ${took_ms} ms, attempt ${attempt}, request ${requestId}`
    return Effect.andThen(Effect.logDebug(line), end)
  }

  /** One callback, in which all is done: a fiber for the timeout would cost as much as the rest. */
  const exchange = (outgoing: Outgoing, fiber: Fiber.Fiber<unknown, unknown>): Answering =>
    Effect.callback((resume) => {
      const clock = fiber.getRef(Clock.Clock)
      const began_ms = Elapsed.read_ms(clock)
      const took_ms = () => Elapsed.read_ms(clock) - began_ms
      let phase: Phase = "headers"
      let isOver = false
      const finish = (status: number, end: Answering, reason?: string) => {
        if (isOver) return
        isOver = true
        clear()
        resume(observe(outgoing, took_ms(), fiber, status, end, reason))
      }
      const fail = (reason: TransportErrorReason) => finish(0, Effect.fail(failed(outgoing, reason)), reason._tag)
      const expire = (limit: "headers" | "body" | "total", after: Duration.Duration) => () => {
        // first: what is ended may say so at once, as if the connection were lost
        fail(new Timeout({ phase, limit, after }))
        end()
      }
      const limit = (part: "headers" | "body", now_ms: number) => {
        const limit = limits[part]
        return limit?.deadlines.set(clock, fiber.context, now_ms, expire(part, limit.after))
      }
      const after = totalOf(fiber, began_ms)
      const clearTotal = (after === timeouts.total ? deadlines : Deadlines.make(after)).set(
        clock,
        fiber.context,
        began_ms,
        expire("total", after)
      )
      let clearPart = limit("headers", began_ms)
      const clear = () => {
        clearTotal()
        clearPart?.()
      }
      const { body, headers, method, url } = outgoing
      const end = send(
        { method, url, headers: keyed(headers), body, options: optionsOf(fiber.context) },
        fiber.context,
        {
          onPhase: (reached) => {
            phase = reached
            if (reached !== "body" || isOver) return
            clearPart?.()
            clearPart = limit("body", Elapsed.read_ms(clock))
          },
          onAnswer: (answer) => finish(answer.status, Effect.succeed(new Answered(outgoing, answer))),
          onFailure: (cause, isRefused) => fail(isRefused === true ? unsendable() : toReason(cause, took_ms(), phase)),
          onDefect: (cause) => finish(0, Effect.failCause(cause), "Defect")
        }
      )
      return Effect.sync(() => {
        isOver = true
        clear()
        end()
      })
    })

  const traced = (effect: Effect.Effect<Answered, TransportError>, { attempt, method, requestId, url }: Outgoing) => {
    const address = new URL(url)
    const annotated = effect.pipe(
      Effect.tap(({ status }) =>
        Effect.annotateCurrentSpan({
          "http.response.status_code": status,
          ...(status >= 400 ? { "error.type": String(status) } : {})
        })
      ),
      Effect.tapError((error) => Effect.annotateCurrentSpan({ "error.type": error.reason._tag }))
    )
    return Effect.withSpan(annotated, method, {
      kind: "client",
      captureStackTrace: false,
      attributes: {
        "http.request.method": method,
        ...Call.serverOf(address),
        "url.full": `${address.origin}${address.pathname}`,
        "webagent.request.id": requestId,
        ...(attempt > 1 ? { "http.request.resend_count": attempt - 1 } : {})
      }
    })
  }

  return (outgoing) =>
    Effect.withFiber((fiber) => {
      const sent = exchange(outgoing, fiber)
      return Trace.isOn(fiber.context) ? traced(sent, outgoing) : sent
    })
}
