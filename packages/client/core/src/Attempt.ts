import type * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Answered } from "./Answered.ts"
import * as Call from "./Call.ts"
import * as Deadlines from "./Deadlines.ts"
import { Elapsed } from "@webagent/polling"
import * as Metrics from "./Metrics.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import type * as Settings from "./Settings.ts"
import * as ThrownError from "./ThrownError.ts"
import type { Listener, WholeAnswer } from "./WholeAnswer.ts"
import { InvalidRequest, Timeout, TransportError, type TransportErrorReason } from "./TransportError.ts"

/** The response of an attempt, or its failure. */
export type Answering = Effect.Effect<Answered, TransportError>

/** A time limit that many attempts share. */
export interface Limit {
  readonly after: Duration.Duration
  readonly deadlines: Deadlines.Deadlines
}

/** Makes a limit of this length. */
export const limitOf = (after: Duration.Duration): Limit => ({ after, deadlines: Deadlines.make(after) })

/** The parts of an exchange that all its attempts share. */
export interface AttemptOptions {
  /** Sends the request to a listener, and returns a function that aborts it. */
  readonly send: (outgoing: Outgoing, settings: Settings.Settings, listener: Listener) => (() => void) | undefined
  readonly redact: (text: string) => string
  readonly total: Limit
  readonly headers: Limit | undefined
  readonly body: Limit | undefined
}

const unsendable = () => new InvalidRequest({ issue: "the request cannot be encoded: look at its headers" })

const failed = (outgoing: Outgoing, reason: TransportErrorReason) =>
  new TransportError({
    ...Call.of(outgoing),
    ...(reason._tag === "InvalidRequest" ? { attempts: outgoing.attempt - 1 } : {}),
    reason
  })

/** Returns the limit of an attempt: a call with its own timeout has the rest of that. */
const totalOf = (total: Limit, { context, options }: Settings.Settings, now_ms: number): Limit => {
  if (options.timeout === undefined) return total
  const deadline_ms = Context.get(context, RetryPolicy.Deadline)
  return Number.isFinite(deadline_ms) ? limitOf(Duration.millis(Math.max(1, deadline_ms - now_ms))) : total
}

/** A running attempt. It is its own listener and deadline, because each further closure would be made for every poll. */
export class Attempt implements Listener, Deadlines.Deadline {
  declare readonly options: AttemptOptions
  declare readonly outgoing: Outgoing
  declare readonly settings: Settings.Settings
  declare readonly began_ms: number
  declare readonly total: Limit
  declare readonly abort: (() => void) | undefined
  declare at_ms: number
  declare phase: ThrownError.Phase
  /** Resumes the fiber that waits; undefined once it has resumed. */
  declare resume: ((end: Answering) => void) | undefined
  declare clearPart: (() => void) | undefined

  constructor(
    options: AttemptOptions,
    outgoing: Outgoing,
    settings: Settings.Settings,
    resume: (end: Answering) => void
  ) {
    const { clock, context } = settings
    this.options = options
    this.outgoing = outgoing
    this.settings = settings
    this.resume = resume
    this.phase = "headers"
    this.began_ms = Elapsed.nowUnsafe_ms(clock)
    this.total = totalOf(options.total, settings, this.began_ms)
    this.total.deadlines.set(clock, context, this.began_ms, this)
    this.limit("headers")
    this.abort = options.send(outgoing, settings, this)
  }

  limit(name: "headers" | "body") {
    this.clearPart?.()
    const limit = this.options[name]
    if (limit === undefined) return
    const { clock, context } = this.settings
    const part = { at_ms: 0, onEnd: () => this.expire(name, limit.after) }
    limit.deadlines.set(clock, context, Elapsed.nowUnsafe_ms(clock), part)
    this.clearPart = () => limit.deadlines.clear(part)
  }

  onPhase(reached: ThrownError.Phase) {
    this.phase = reached
    if (reached === "body" && this.resume !== undefined) this.limit("body")
  }

  onAnswer(answer: WholeAnswer) {
    this.finish(answer.status, Effect.succeed(new Answered(this.outgoing, answer)))
  }

  onFailure(cause: unknown, isRefused?: boolean) {
    this.fail(isRefused ? unsendable() : ThrownError.reasonOf(cause, this.took_ms(), this.phase, this.options.redact))
  }

  onDefect(cause: Cause.Cause<never>) {
    this.finish(0, Effect.failCause(cause), "Defect")
  }

  onEnd() {
    this.expire("total", this.total.after)
  }

  expire(limit: "headers" | "body" | "total", after: Duration.Duration) {
    // first, because an aborted request may fail at once, as if the connection were lost
    this.fail(new Timeout({ phase: this.phase, limit, after }))
    this.abort?.()
  }

  fail(reason: TransportErrorReason) {
    this.finish(0, Effect.fail(failed(this.outgoing, reason)), reason._tag)
  }

  took_ms() {
    return Elapsed.nowUnsafe_ms(this.settings.clock) - this.began_ms
  }

  /** Finishes the attempt, and records its outcome in metrics and the log. */
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
