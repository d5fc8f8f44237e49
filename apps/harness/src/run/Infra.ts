import * as Duration from "effect/Duration"
import type { SentRequest } from "@webagent/report/Trial"

/** The reason why a failed trial doesn't count for its checks: the service was unreachable. */
export interface Infra {
  /** Such as `HTTP 503`, `no connection (ECONNREFUSED)`. */
  readonly why: string
  /** Delay before the next request, as requested by the service. */
  readonly retryAfter_ms?: number
}

// how deep an error may lie in others
const deepest = 5

// a 500 that a check has looked at is an answer, if a bad one; what stands before a service says that it is away so
const isAway = (status: number | null | undefined): boolean =>
  status !== null && status !== undefined && (status === 429 || status >= 502)

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const pauseOf = (value: unknown): Pick<Infra, "retryAfter_ms"> => {
  const retryAfter = field(value, "retryAfter")
  return Duration.isDuration(retryAfter) ? { retryAfter_ms: Duration.toMillis(retryAfter) } : {}
}

/** Of a reason of core's TransportError, and of CreateOutcomeUnknown, which has the same reasons. */
const ofReason = (reason: unknown): Infra | undefined => {
  switch (field(reason, "_tag")) {
    case "ConnectionFailed": {
      const code = field(reason, "code")
      return { why: typeof code === "string" ? `no connection (${code})` : "the connection was lost" }
    }
    case "Timeout": {
      return field(reason, "phase") === "connect" ? { why: "no connection in time" } : undefined
    }
    case "UnexpectedStatus": {
      const status = field(reason, "status")
      return typeof status === "number" && (status === 429 || status >= 500)
        ? { why: `HTTP ${status}`, ...pauseOf(reason) }
        : undefined
    }
    case "CircuitOpen": {
      return { why: "the circuit breaker was open", ...pauseOf(reason) }
    }
    // of effect's HttpClient, by which raw requests are sent
    case "TransportError": {
      return { why: "no connection" }
    }
    default: {
      return undefined
    }
  }
}

const ofError = (error: unknown, last: SentRequest | undefined, depth: number): Infra | undefined => {
  if (depth > deepest) return undefined
  switch (field(error, "_tag")) {
    case "TooManyRequestsError": {
      return { why: "HTTP 429", ...pauseOf(error) }
    }
    case "TransportError":
    case "CreateOutcomeUnknown":
    case "HttpClientError": {
      return ofReason(field(error, "reason"))
    }
    case "CheckFailed": {
      return isAway(last?.status) ? { why: `HTTP ${last?.status}` } : undefined
    }
    // every poll of it has failed in a way that a wait survives
    case "WaitTimeoutError": {
      const heard = field(error, "lastStatus") !== undefined
      return heard || last === undefined || (last.status !== null && last.status < 500 && last.status !== 429)
        ? undefined
        : { why: last.status === null ? "no answer" : `HTTP ${last.status}` }
    }
    default: {
      const cause = field(error, "cause")
      return cause === undefined ? undefined : ofError(cause, last, depth + 1)
    }
  }
}

/**
 * Tells whether only the infrastructure ended a trial: a limit (429), a 5xx, no connection, no such host. `last` is the
 * last exchange before it failed. A check that refuses an answer counts when the answer was a 429, or from 502 on;
 * a 500 is the service's own mistake there, and a service that is too slow has failed.
 */
export const of = (error: unknown, last: SentRequest | undefined): Infra | undefined => ofError(error, last, 0)
