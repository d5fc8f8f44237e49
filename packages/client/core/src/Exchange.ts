import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import { most_bytes, TooLarge } from "./ContentCoding.ts"
import * as Deadlines from "./Deadlines.ts"
import * as Elapsed from "./Elapsed.ts"
import { innermost } from "./Innermost.ts"
import * as Metrics from "./Metrics.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Settings from "./Settings.ts"
import type { Listener, SendWhole, WholeAnswer } from "./WholeAnswer.ts"
import {
  AnswerTooLarge,
  ConnectionFailed,
  InvalidRequest,
  Timeout,
  TransportError,
  type TransportErrorReason
} from "./TransportError.ts"

type Phase = "connect" | "headers" | "body"

type Answering = Effect.Effect<Answered, TransportError>

interface Limit {
  readonly after: Duration.Duration
  readonly deadlines: Deadlines.Deadlines
}

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
}: ExchangeOptions): ((outgoing: Outgoing, settings: Settings.Settings) => Answering) => {
  /** What fetch is told beside the request, by the call or by the client. */
  const optionsOf = (own: RequestInit | undefined): RequestInit =>
    own === undefined ? options : { ...options, ...own, redirect: "manual" }

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

  const limitOf = (after: Duration.Duration) => ({ after, deadlines: Deadlines.make(after) })
  const total = limitOf(timeouts.total)
  const parts = {
    headers: timeouts.headers === undefined ? undefined : limitOf(timeouts.headers),
    body: timeouts.body === undefined ? undefined : limitOf(timeouts.body)
  }

  /** The longest time of an attempt: a call with a timeout of its own has what is left of that. */
  const totalOf = ({ context, options }: Settings.Settings, now_ms: number): Limit => {
    if (options.timeout === undefined) return total
    const deadline_ms = Context.get(context, RetryPolicy.Deadline)
    return Number.isFinite(deadline_ms) ? limitOf(Duration.millis(Math.max(1, deadline_ms - now_ms))) : total
  }

  /** One attempt under way. It is its own listener and deadline: each closure more would be made for every poll. */
  class Attempt implements Listener, Deadlines.Deadline {
    declare readonly outgoing: Outgoing
    declare readonly settings: Settings.Settings
    declare readonly began_ms: number
    declare readonly total: Limit
    declare readonly abort: (() => void) | undefined
    declare at_ms: number
    declare phase: Phase
    /** Tells the end; undefined once it is told. */
    declare resume: ((end: Answering) => void) | undefined
    declare clearPart: (() => void) | undefined

    constructor(outgoing: Outgoing, settings: Settings.Settings, resume: (end: Answering) => void) {
      const { clock, context, init } = settings
      const { body, headers, method, url } = outgoing
      this.outgoing = outgoing
      this.settings = settings
      this.resume = resume
      this.phase = "headers"
      this.began_ms = Elapsed.read_ms(clock)
      this.total = totalOf(settings, this.began_ms)
      this.total.deadlines.set(clock, context, this.began_ms, this)
      this.limit("headers")
      this.abort = send({ method, url, headers: keyed(headers), body, options: optionsOf(init) }, settings, this)
    }

    limit(name: "headers" | "body") {
      this.clearPart?.()
      const limit = parts[name]
      if (limit === undefined) return
      const { after, deadlines } = limit
      const { clock, context } = this.settings
      const part = { at_ms: 0, onEnd: () => this.expire(name, after) }
      deadlines.set(clock, context, Elapsed.read_ms(clock), part)
      this.clearPart = () => deadlines.clear(part)
    }

    onPhase(reached: Phase) {
      this.phase = reached
      if (reached === "body" && this.resume !== undefined) this.limit("body")
    }

    onAnswer(answer: WholeAnswer) {
      this.finish(answer.status, Effect.succeed(new Answered(this.outgoing, answer)))
    }

    onFailure(cause: unknown, isRefused?: boolean) {
      this.fail(isRefused ? unsendable() : toReason(cause, this.took_ms(), this.phase))
    }

    onDefect(cause: Cause.Cause<never>) {
      this.finish(0, Effect.failCause(cause), "Defect")
    }

    onEnd() {
      this.expire("total", this.total.after)
    }

    expire(limit: "headers" | "body" | "total", after: Duration.Duration) {
      // first: what is ended may say so at once, as if the connection were lost
      this.fail(new Timeout({ phase: this.phase, limit, after }))
      this.abort?.()
    }

    fail(reason: TransportErrorReason) {
      this.finish(0, Effect.fail(failed(this.outgoing, reason)), reason._tag)
    }

    took_ms() {
      return Elapsed.read_ms(this.settings.clock) - this.began_ms
    }

    /** Tells what the attempt came to, to metrics and the log as well. */
    finish(status: number, end: Answering, reason?: string) {
      const { resume } = this
      if (resume === undefined) return
      this.clear()
      const { attempt, method, requestId, url } = this.outgoing
      const { context, isDebugging } = this.settings
      const took_ms = this.took_ms()
      const { duration, requests } = Metrics.attempts(method, url, status, reason ?? `${String(status)[0]}xx`)
      requests.updateUnsafe(1, context)
      duration.updateUnsafe(took_ms / 1000, context)
      if (!isDebugging) return resume(end)
      const line = `${method} ${url.replace(/[?#].*/u, "")}: ${reason ?? status} in ${took_ms} ms, attempt ${attempt}, request ${requestId}`
      resume(Effect.andThen(Effect.logDebug(line), end))
    }

    clear() {
      this.resume = undefined
      this.total.deadlines.clear(this)
      this.clearPart?.()
    }
  }

  /** One callback, in which all is done: a fiber for the timeout would cost as much as the rest. */
  const exchange = (outgoing: Outgoing, settings: Settings.Settings): Answering =>
    Effect.callback((resume) => {
      const attempt = new Attempt(outgoing, settings, resume)
      return Effect.sync(() => {
        attempt.clear()
        attempt.abort?.()
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

  return (outgoing, settings) =>
    settings.isTraced
      ? // the HttpClient of an application finds the span of the attempt around it
        traced(
          Effect.withFiber(({ context }) => exchange(outgoing, Settings.of(context))),
          outgoing
        )
      : exchange(outgoing, settings)
}
