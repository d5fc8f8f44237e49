import * as Schema from "effect/Schema"
import { called, describe, TransportErrorReason } from "./TransportError.ts"

/** The point at which the outcome of a create was lost. */
export const CreatePhase = Schema.Literals(["waiting", "reading", "answered"])

/** The point at which the outcome of a create was lost. */
export type CreatePhase = typeof CreatePhase.Type

/**
 * The create may have been made: it was sent, and no answer says what became of it. The client does not send it again,
 * because a second one would cost as well. `key` is what its requests carried as `Idempotency-Key`.
 */
export class CreateOutcomeUnknown extends Schema.TaggedError<CreateOutcomeUnknown>()("CreateOutcomeUnknown", {
  /** The kind of resource that may have been created: `run`, `session`, `browser`. */
  kind: Schema.String,
  key: Schema.String,
  /**
   * The point at which the outcome was lost: `waiting` for the response, `reading` its body, or `answered` without
   * saying what was created, for example with a 502, a page of HTML, or a 429 if `target.refusals` is `after-acting`.
   */
  phase: CreatePhase,
  method: Schema.String,
  path: Schema.String,
  origin: Schema.String,
  /** Requests sent for this create. */
  attempts: Schema.Int,
  /** The `X-Request-Id` of the create's requests. */
  requestId: Schema.String,
  /** `honoured` if the service is declared to treat two creates with the same key as one. */
  idempotency: Schema.Literals(["honoured", "unknown"]),
  /** The reason why the outcome is unknown. */
  reason: TransportErrorReason
}) {
  override get message() {
    const advice =
      this.idempotency === "honoured"
        ? "Create it again with the same idempotency key: the service makes one at most."
        : "Look for it at the service before you create another."
    return (
      `${called(this)}: the ${this.kind} may have been created, and may cost: ${describe(this, "", false)} ${advice} ` +
      `Idempotency key ${JSON.stringify(this.key)}, request id ${JSON.stringify(this.requestId)}.`
    )
  }
}

/**
 * Returns the point at which the outcome of a create was lost.
 *
 * @param reason - The reason why the create failed.
 * @returns `waiting` for the response, `reading` its body, or `answered` without saying what was created.
 * @example
 * ```ts
 * import { phaseOf, type TransportError } from "@webagent/core"
 *
 * export const isCut = ({ reason }: TransportError) => phaseOf(reason) === "reading"
 * ```
 */
export const phaseOf = (reason: TransportErrorReason): CreatePhase => {
  if ("phase" in reason) return reason.phase === "body" ? "reading" : "waiting"
  return reason._tag === "ConnectionFailed" ? "waiting" : "answered"
}
