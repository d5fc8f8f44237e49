import type { CreatedRun, Run, RunStatusView } from "@webagent/contract/v4"
import { Metrics, RetryPolicy } from "@webagent/core"
import { OwnWait, type WaitTimeoutError } from "@webagent/polling"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RunError, RunWaiter } from "./RunWaiter.ts"

/** Options of a wait for a run that the caller created. */
export type OwnWaitOptions<RC = never> = OwnWait.OwnWaitOptions<CreatedRun, RC, RunStatusView>

/** The reason why a wait ended before the run was finished. */
export type WaitEnd = OwnWait.WaitEnd

/** Adds the cost that the service reports for a run to the metrics; `totalCost` has the exact sums. */
const spend = ({ cost }: Run) => {
  const amount = Number(cost ?? 0)
  return amount > 0 ? Metric.modify(Metrics.cost, amount) : Effect.void
}

/** Creates a run and waits for its end, by the rules for what one has made. */
export const make =
  ({ onNamed, release, untilTerminal }: RunWaiter["Service"]) =>
  <E, RC = never>(
    create: Effect.Effect<CreatedRun, E>,
    options?: OwnWaitOptions<RC> & { readonly result?: unknown },
    parts?: Pick<OwnWait.Own<CreatedRun, Run, never, never, RC, RunStatusView>, "onCreated" | "restore">
  ): Effect.Effect<Run, E | RunError | WaitTimeoutError, RC> =>
    OwnWait.createAndWait(
      {
        kind: "run",
        create: RetryPolicy.interruptibleOwn(create),
        wait: untilTerminal,
        cancel: ({ id }) => release(id),
        onEnd: spend,
        isCancelled: ({ status }) => status === "cancelled" && options?.result !== undefined,
        onNamed,
        isForeign: RetryPolicy.isForeign,
        ...parts
      },
      options
    )
