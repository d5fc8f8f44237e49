import * as Schema from "effect/Schema"
import { called, describe, TransportErrorReason } from "./TransportError.ts"

/**
 * A create whose answer was lost: whether the service acted on it is not known. It is not sent again, for what it may
 * have made costs. `key` is what its requests carried as `Idempotency-Key`.
 */
export class CreateOutcomeUnknown extends Schema.TaggedError<CreateOutcomeUnknown>()("CreateOutcomeUnknown", {
  /** What the request creates: `run`, `session`, `browser`. */
  kind: Schema.String,
  key: Schema.String,
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
    const what = `whether the ${this.kind} was created is not known`
    const advice =
      this.idempotency === "honoured"
        ? `Create it again with the idempotency key ${JSON.stringify(this.key)}: the service then makes one at most.`
        : `Look for it at the service before you create another: it may run, and cost. ` +
          `Its idempotency key is ${JSON.stringify(this.key)}, its request id ${JSON.stringify(this.requestId)}.`
    return `${called(this)}: ${what}: ${describe(this, "")} ${advice}`
  }
}
