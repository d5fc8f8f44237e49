import type { CreatedRun, Run, RunStatusView } from "@webagent/contract/v4"
import { Metrics, RetryPolicy } from "@webagent/core"
import { OwnWait, type WaitTimeoutError } from "@webagent/polling"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RunError, RunWaiter } from "./RunWaiter.ts"

/** Options of a wait for a run that the caller created. */
export interface OwnWaitOptions<RC = never> extends OwnWait.OwnWaitOptions<CreatedRun, RC> {
  /** Receives each new status of the run, the final one last. The wait doesn't wait for what it does. */
  readonly onStatus?: ((status: RunStatusView) => Effect.Effect<unknown, never, RC>) | undefined
}

/** The reason why a wait ended before the run was finished. */
export type WaitEnd = OwnWait.WaitEnd

/** Adds the cost that the service reports for a run to the metrics; `totalCost` has the exact sums. */
const spend = ({ cost }: Run) => {
  const amount = Number(cost ?? 0)
  return amount > 0 ? Metric.modify(Metrics.cost, amount) : Effect.void
}

/** Runs a caller's function for each status, without waiting for it. */
const reporting = <RC>(onStatus: NonNullable<OwnWaitOptions<RC>["onStatus"]>, context: Context.Context<RC>) => {
  const fork = Effect.runForkWith(context)
  return (status: RunStatusView) =>
    void fork(
      Effect.catchCause(
        Effect.suspend(() => onStatus(status)),
        (cause) => Effect.logWarning("onStatus has thrown", cause)
      )
    )
}

/** Creates a run and waits for its end, by the rules for what one has made. */
export const make =
  ({ cancel, untilTerminal }: RunWaiter["Service"]) =>
  <E, RC = never>(
    create: Effect.Effect<CreatedRun, E>,
    options?: OwnWaitOptions<RC>,
    parts?: Pick<OwnWait.Own<CreatedRun, Run, never, never, RC>, "onCreated" | "restore">
  ): Effect.Effect<Run, E | RunError | WaitTimeoutError, RC> =>
    Effect.contextWith((context: Context.Context<RC>) => {
      const onChange = options?.onStatus === undefined ? undefined : reporting(options.onStatus, context)
      return OwnWait.createAndWait(
        {
          kind: "run",
          create: (restore, isCancelled) =>
            RetryPolicy.interruptible(restore, isCancelled ? "pauses" : "attempts")(create),
          wait: (id, options) => untilTerminal(id, { ...options, onChange }),
          cancel: ({ id }) => cancel(id),
          onEnd: spend,
          isForeign: RetryPolicy.isForeign,
          ...parts
        },
        options
      )
    })
