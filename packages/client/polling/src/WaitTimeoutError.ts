import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/**
 * A run or session didn't reach a final status before the timeout of the wait.
 *
 * The service is still working on it, and it may still cost money, unless `isCancelled` is true. Wait again with `id`, or
 * stop it.
 *
 * @example
 * ```ts
 * import { Runs } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Runs.use((runs) => runs.createAndWait({ task: "Find a red mug" }, { timeout: "1 minute" })).pipe(
 *   Effect.catchTag("WaitTimeoutError", ({ id }) => Runs.use((runs) => runs.untilTerminal(id, { timeout: "1 hour" })))
 * )
 * ```
 */
export class WaitTimeoutError extends Schema.TaggedError<WaitTimeoutError>()("WaitTimeoutError", {
  /** The kind of resource that was waited for: `run`, `session`. */
  kind: Schema.String,
  id: Schema.String,
  /** The status seen last; missing when no poll was answered. */
  lastStatus: Schema.optionalKey(Schema.String),
  /** Polls made, answered or not. */
  polls: Schema.Int,
  waited_ms: Schema.Number,
  /** The `X-Request-Id` of the last poll; missing when none was made. */
  requestId: Schema.optionalKey(Schema.String),
  /** True if the wait has cancelled it, as its options say. */
  isCancelled: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    // it comes from the network: no line end and no colour of a terminal
    const last = this.lastStatus?.replaceAll(/\p{Cc}+/gu, " ").slice(0, 200)
    const status = last === undefined ? "never answered" : `still "${last}"`
    const waited = Duration.format(Duration.millis(Math.round(this.waited_ms)))
    const request = this.requestId === undefined ? "" : ` Request id ${this.requestId}.`
    return (
      `${`${this.kind} ${this.id}`.trim()} is ${status} after ${waited} and ${this.polls} poll${this.polls === 1 ? "" : "s"}. ` +
      (this.isCancelled
        ? "It was cancelled."
        : "It may continue and cost money: wait again with its id, or for longer.") +
      request
    )
  }
}
