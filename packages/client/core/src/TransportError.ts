import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

// Schema.Defect and Schema.Duration write more of a value as JSON than an error needs, and are 1.4 kB of every client

/** Any value. As JSON it's its message. */
const Thrown = Schema.declare(Predicate.isUnknown, {
  toCodecJson: () =>
    Schema.link<unknown>()(
      Schema.String,
      SchemaTransformation.transform({
        decode: (message): unknown => new Error(message),
        encode: (thrown) => (thrown instanceof Error ? thrown.message : String(thrown))
      })
    )
})

/** A length of time. As JSON it's a number of milliseconds. */
const Time = Schema.declare(Duration.isDuration, {
  toCodecJson: () =>
    Schema.link<Duration.Duration>()(
      Schema.Finite,
      SchemaTransformation.transform({ decode: (time_ms) => Duration.millis(time_ms), encode: Duration.toMillis })
    )
})

/** No connection, or one that was cut: whether the service acted on the request is not known. */
export class ConnectionFailed extends Schema.TaggedError<ConnectionFailed>()("ConnectionFailed", {
  /** `ECONNREFUSED`, `ENOTFOUND`, ... where the system gives one. */
  code: Schema.optionalKey(Schema.String),
  /** The system call that failed, if known: `connect`, `getaddrinfo`, `read`, `write`. */
  syscall: Schema.optionalKey(Schema.String),
  /** The missing part, if the HttpClient reports it: a connection, the response's headers, or the end of its body. */
  phase: Schema.optionalKey(Schema.Literals(["connect", "headers", "body"])),
  cause: Thrown
}) {}

/** An attempt took longer than it may. */
export class Timeout extends Schema.TaggedError<Timeout>()("Timeout", {
  /**
   * The missing part: a connection, the response's headers, or the end of its body. `connect` only if the HttpClient
   * reports it; otherwise connecting is a part of `headers`.
   */
  phase: Schema.Literals(["connect", "headers", "body"]),
  /** Which of the configured timeouts ran out; missing when the HttpClient has one of its own. */
  limit: Schema.optionalKey(Schema.Literals(["headers", "body", "total"])),
  /** The time until the timeout. */
  after: Time
}) {}

/** An answer with a status, or for its status a body, that the operation does not describe. */
export class UnexpectedStatus extends Schema.TaggedError<UnexpectedStatus>()("UnexpectedStatus", {
  status: Schema.Int,
  /** Up to 65,536 characters of it. */
  body: Schema.String,
  retryAfter: Schema.optionalKey(Time),
  /** The target of a redirect without its query; redirects aren't followed. */
  location: Schema.optionalKey(Schema.String)
}) {}

/** A success whose body is not what the operation describes. What it did is done: `id` is the body's, if it has one. */
export class UndecodableAnswer extends Schema.TaggedError<UndecodableAnswer>()("UndecodableAnswer", {
  status: Schema.Int,
  /** Up to 65,536 characters of it. */
  body: Schema.String,
  /** True if the body is JSON at all. If it isn't, it may have been cut in transit, and can be read again. */
  isJson: Schema.Boolean,
  issue: Schema.String,
  id: Schema.optionalKey(Schema.String)
}) {}

/** The answer was given up, because it is larger than the client reads. It would be the same again. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  /** The most that is read, in bytes. */
  limit_bytes: Schema.Int
}) {}

/** Not sent: the circuit breaker is open, for the service has failed too often. */
export class CircuitOpen extends Schema.TaggedError<CircuitOpen>()("CircuitOpen", {
  /** The time until the circuit closes; missing while one request tests whether the service is back. */
  retryAfter: Schema.optionalKey(Time)
}) {}

/** The request was refused before anything was sent. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  issue: Schema.String
}) {}

/** The reason why a call failed below the contract. */
export const TransportErrorReason = Schema.Union([
  ConnectionFailed,
  Timeout,
  UnexpectedStatus,
  UndecodableAnswer,
  AnswerTooLarge,
  CircuitOpen,
  InvalidRequest
])

/** The reason why a call failed below the contract. */
export type TransportErrorReason = typeof TransportErrorReason.Type

/**
 * A call that failed below the contract. The caller who cares takes the reason apart:
 * `Effect.catchReason("TransportError", "Timeout", ...)`.
 */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  method: Schema.String,
  /** Path of the request, `/api/v4/runs`; the origin is in `origin`, a query is left out. */
  path: Schema.String,
  origin: Schema.String,
  /** Requests sent for this call. */
  attempts: Schema.Int,
  /** The `X-Request-Id` of the call's requests; missing if nothing was sent. */
  requestId: Schema.optionalKey(Schema.String),
  reason: TransportErrorReason
}) {
  override get message() {
    const acted = this.method === "GET" ? "" : " It may have been acted on."
    // what was not sent has no request to look for
    const id = this.requestId === undefined || this.attempts === 0 ? "" : ` Request id ${this.requestId}.`
    return `${called(this)}: ${describe(this, acted)}${id}`
  }
}

/** A call that is refused before anything is sent. */
export const refused = (
  call: { readonly method: string; readonly path: string; readonly origin: string; readonly requestId?: string },
  issue: string
): Effect.Effect<never, TransportError> =>
  Effect.fail(new TransportError({ ...call, attempts: 0, reason: new InvalidRequest({ issue }) }))

/** The request of a failed call, as its message begins. */
export const called = (call: {
  readonly method: string
  readonly origin: string
  readonly path: string
  readonly attempts: number
}): string => {
  const attempts = call.attempts > 1 ? ` (${call.attempts} attempts)` : ""
  return `${call.method} ${call.origin}${call.path}${attempts}`
}

/**
 * Formats a text from the network for a message: in one line, without control characters, and cut if it's too long.
 *
 * @param text - The text.
 * @param most - The largest number of characters.
 * @returns The text in one line. It ends with `…` if it was cut.
 * @example
 * ```ts
 * import { inLine } from "@webagent/core"
 *
 * console.log(inLine("<html>\n  502 Bad Gateway", 14)) // <html> 502 Bad…
 * ```
 */
export const inLine = (text: string, most: number): string => {
  // also what would colour or clear a terminal
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}

const excerpt = (body: string) => {
  const line = inLine(body, 200)
  return line === "" ? "" : `, ${line}`
}

const connectionCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host name could not be looked up",
  ENETUNREACH: "no way to its network",
  EHOSTUNREACH: "no way to its host"
}

/** Returns whether the request hasn't left. While reading or writing, the same codes end an established connection. */
export const isUnsent = ({ code, syscall }: ConnectionFailed): boolean =>
  syscall === undefined ? connectionCodes[code ?? ""] !== undefined : syscall === "connect" || syscall === "getaddrinfo"

const causeOf = ({ cause }: ConnectionFailed) => (cause instanceof Error ? cause.message : "connection lost")

const missing = {
  connect: "no connection",
  headers: "no answer",
  body: "a response whose body did not end"
}

/**
 * Describes what happened in a sentence, and what to do unless the caller says that. `acted` is added if the service may
 * have done something.
 */
export const describe = (
  { origin, reason }: { readonly origin: string; readonly reason: TransportErrorReason },
  acted: string,
  isAdvised = true
): string => {
  switch (reason._tag) {
    case "ConnectionFailed": {
      const what = reason.code ?? causeOf(reason)
      return isUnsent(reason)
        ? `nothing answers at ${origin} (${connectionCodes[what] ?? what}). Is the service running, and the base address right?`
        : `no answer came (${what}).${acted}`
    }
    case "Timeout": {
      const { after, limit = "total", phase } = reason
      const rest = phase === "connect" ? "." : `, the ${limit} timeout.${acted}`
      return `${missing[phase]} within ${Duration.format(after)}${rest}`
    }
    case "UnexpectedStatus":
      return `status ${reason.status}${excerpt(reason.body)}.${isAdvised ? ` ${advise(reason)}` : ""}`
    case "UndecodableAnswer": {
      const id = reason.id === undefined ? "" : ` Its id is ${JSON.stringify(reason.id)}.`
      const done = acted === "" ? "" : " It was done: look before you send it again."
      return `status ${reason.status}, but not the described response: ${inLine(reason.issue, 500)}.${id}${done}`
    }
    case "AnswerTooLarge":
      return `the response is larger than ${reason.limit_bytes / 1024 / 1024} MiB.${acted}`
    case "CircuitOpen": {
      return `not sent, the circuit breaker is open after too many failures. Try again ${whenOf(reason.retryAfter)}.`
    }
    case "InvalidRequest":
      return `not sent, ${inLine(reason.issue, 500)}`
  }
}

/** When to try again, in a word or two. */
export const whenOf = (retryAfter: Duration.Duration | undefined): string =>
  retryAfter === undefined ? "later" : `in ${Duration.format(retryAfter)}`

const advise = ({ location, retryAfter, status }: UnexpectedStatus): string => {
  if ((status >= 300 && status < 400) || status === 0) {
    const to = location === undefined ? "" : ` It points to ${location}.`
    return `Redirects are not followed; is the base address right?${to}`
  }
  if (status === 403) return "The API key may not do this."
  if (status === 404) return "Is the base address right?"
  if (status === 429) return `Try again ${whenOf(retryAfter)}, or do less at once.`
  return status >= 500
    ? `The service failed; try again ${whenOf(retryAfter)}.`
    : "The operation does not describe this response."
}
