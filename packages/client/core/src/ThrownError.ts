import * as Duration from "effect/Duration"
import { most_bytes } from "./ContentCoding.ts"
import { innermost } from "./Innermost.ts"
import { AnswerTooLarge, ConnectionFailed, Timeout, type TransportErrorReason } from "./TransportError.ts"

/** The part of an exchange in which something happened. */
export type Phase = "connect" | "headers" | "body"

/** Returns the innermost error that the system threw. */
const systemError = (error: unknown): unknown => {
  const cause = innermost(error)
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
}

const stringIn = (value: unknown, name: string) => {
  const field: unknown = Reflect.get(Object(value), name)
  return typeof field === "string" ? field : undefined
}

/**
 * Returns the typed reason for an error that an HTTP library threw after `took_ms` milliseconds. The caller's own fetch
 * may throw something that throws again when it's read.
 */
export const reasonOf = (
  error: unknown,
  took_ms: number,
  phase: Phase,
  redact: (text: string) => string
): TransportErrorReason => {
  try {
    const cause = systemError(error)
    const code = stringIn(cause, "code")
    if (code === "AnswerTooLarge") return new AnswerTooLarge({ limit_bytes: most_bytes })
    const syscall = stringIn(cause, "syscall")
    // ETIMEDOUT is also how an established connection may fail
    if (code === "UND_ERR_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && syscall === "connect")) {
      return new Timeout({ phase: "connect", after: Duration.millis(took_ms) })
    }
    // a plain error: libraries attach properties that may hold the request
    const plain = new Error(redact(cause instanceof Error ? cause.message : String(cause)))
    plain.stack = `${plain.name}: ${plain.message}`
    return new ConnectionFailed({
      ...(code === undefined ? {} : { code }),
      ...(syscall === undefined ? {} : { syscall }),
      phase,
      cause: plain
    })
  } catch {
    return new ConnectionFailed({ phase, cause: new Error("unknown error") })
  }
}
