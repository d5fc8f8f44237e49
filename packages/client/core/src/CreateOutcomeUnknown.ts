import * as Schema from "effect/Schema"
import { called, describe, TransportErrorReason } from "./TransportError.ts"

/** How far a create had come when its outcome was lost. */
export const CreatePhase = Schema.Literals(["waiting", "reading", "answered"])

/** How far a create had come when its outcome was lost. */
export type CreatePhase = typeof CreatePhase.Type

/**
 * The create may have been made: it was sent, and no answer says what became of it. The client does not send it again,
 * because a second one would cost as well. `key` is what its requests carried as `Idempotency-Key`.
 */
export class CreateOutcomeUnknown extends Schema.TaggedError<CreateOutcomeUnknown>()("CreateOutcomeUnknown", {
  /** What may have been created: `run`, `session`, `browser`. */
  kind: Schema.String,
  key: Schema.String,
  /**
   * How far it had come: `waiting` for the answer, `reading` its body, or `answered` without saying what was made, as by
   * a 502, a page of HTML, or a 429 of a service that may act before it refuses.
   */
  phase: CreatePhase,
  method: Schema.String,
  path: Schema.String,
  origin: Schema.String,
  /** Requests sent for this create. */
  attempts: Schema.Int,
  /** What the create's requests carried as `X-Request-Id`. */
  requestId: Schema.String,
  /** Whether the service is declared to take two creates with one key for one. */
  idempotency: Schema.Literals(["honoured", "unknown"]),
  /** Why the outcome is not known. */
  reason: TransportErrorReason
}) {
  override get message() {
    const advice =
      this.idempotency === "honoured"
        ? "Create it again with the same idempotency key: the service makes one at most."
        : "Look for it at the service before you create another."
    return (
      `${called(this)}: the ${this.kind} may have been created, and may cost: ${describe(this, "")} ${advice} ` +
      `Idempotency key ${JSON.stringify(this.key)}, request id ${JSON.stringify(this.requestId)}.`
    )
  }
}

/** How far a create had come that failed so. */
export const phaseOf = (reason: TransportErrorReason): CreatePhase => {
  if ("phase" in reason) return reason.phase === "body" ? "reading" : "waiting"
  return reason._tag === "ConnectionFailed" ? "waiting" : "answered"
}
