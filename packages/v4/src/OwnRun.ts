import type { CreatedRun, Run } from "@webagent/contract/v4"
import { Metrics } from "@webagent/core"
import type { Waiter, WaitTimeoutError } from "@webagent/polling"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { RunError, RunWaiter } from "./RunWaiter.ts"

/** Why nobody waits for a run any more though it is not over. */
export type WaitEnd =
  /** Its deadline has passed. */
  | "timeout"
  | "interrupted"
  /** A read has failed for good, as when the key was revoked. */
  | "failed"

/** What a wait for a run of one's own making may choose. */
export interface OwnWaitOptions<RC = never> extends Waiter.WaitOptions {
  /**
   * Ends the run at the service when the wait ends before it does. The service's description has no operation for
   * that: without one, the run goes on, and may cost. It is given a minute; when it succeeds the run is looked at once
   * more, for 5 seconds, and a run that is over by then is the wait's value in place of the deadline.
   */
  readonly cancel?: ((run: CreatedRun, why: WaitEnd) => Effect.Effect<unknown, unknown, RC>) | undefined
}

const whyOf = (cause: Cause.Cause<RunError | WaitTimeoutError>): WaitEnd => {
  if (Cause.hasInterrupts(cause)) return "interrupted"
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error?._tag === "WaitTimeoutError" ? "timeout" : "failed"
}

const goesOn = "it may go on at the service, and cost"

/** What the service said that runs of ours cost; the exact sums are those of `totalCost`. */
const spend = ({ cost }: Run) => {
  const amount = Number(cost ?? 0)
  return amount > 0 ? Metric.modify(Metrics.cost, amount) : Effect.void
}

/**
 * Creates a run and waits for its end. A run that was created is never let go of in silence: it ends, or it is
 * cancelled, or its id is in the error or in a warning.
 */
export const make =
  ({ untilTerminal }: RunWaiter["Service"]) =>
  <E, RC = never>(
    create: Effect.Effect<CreatedRun, E>,
    options: OwnWaitOptions<RC> = {},
    onCreated: (run: CreatedRun) => Effect.Effect<unknown, never, RC> = () => Effect.void
  ): Effect.Effect<Run, E | RunError | WaitTimeoutError, RC> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { cancel } = options
        // who can cancel waits for the id even when interrupted: without it there is nothing to cancel
        const created = yield* cancel === undefined ? restore(create) : create
        const { id } = created
        yield* Effect.annotateCurrentSpan("run.id", id)
        const exit = yield* Effect.exit(restore(Effect.andThen(onCreated(created), untilTerminal(id, options))))
        if (Exit.isSuccess(exit)) {
          yield* spend(exit.value)
          return exit.value
        }
        const why = whyOf(exit.cause)
        if (cancel === undefined) {
          // the error of a deadline says so itself, and knows the id
          if (why !== "timeout") yield* Effect.logWarning(`The wait for run ${id} has ended: ${goesOn}`)
          return yield* exit
        }
        const cancelled = yield* Effect.exit(Effect.timeout(cancel(created, why), "1 minute"))
        if (Exit.isFailure(cancelled)) {
          yield* Effect.logWarning(`Run ${id} could not be cancelled: ${goesOn}`, cancelled.cause)
          return yield* exit
        }
        const look = untilTerminal(id, { ...options, first: 0, timeout: "5 seconds" })
        const last = yield* Effect.exit(Effect.timeout(look, "10 seconds"))
        if (Exit.isSuccess(last)) yield* spend(last.value)
        else yield* Effect.logWarning(`Run ${id} was cancelled, but has not ended: ${goesOn}`)
        return Exit.isSuccess(last) && why === "timeout" ? last.value : yield* exit
      })
    )
