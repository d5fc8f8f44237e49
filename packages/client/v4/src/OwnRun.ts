import type { CreatedRun, Run } from "@webagent/contract/v4"
import { Metrics, RetryPolicy } from "@webagent/core"
import { OwnWait, type WaitTimeoutError } from "@webagent/polling"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { RunError, RunWaiter } from "./RunWaiter.ts"

/** What a wait for a run of one's own making may choose. */
export type OwnWaitOptions<RC = never> = OwnWait.OwnWaitOptions<CreatedRun, RC>

/** Why the wait for a run that is not over ended. */
export type WaitEnd = OwnWait.WaitEnd

/** What the service said that runs of ours cost; the exact sums are those of `totalCost`. */
const spend = ({ cost }: Run) => {
  const amount = Number(cost ?? 0)
  return amount > 0 ? Metric.modify(Metrics.cost, amount) : Effect.void
}

/** Creates a run and waits for its end, by the rules for what one has made. */
export const make =
  ({ untilTerminal }: RunWaiter["Service"]) =>
  <E, RC = never>(
    create: Effect.Effect<CreatedRun, E>,
    options?: OwnWaitOptions<RC>,
    onCreated?: (run: CreatedRun) => Effect.Effect<unknown, never, RC>
  ): Effect.Effect<Run, E | RunError | WaitTimeoutError, RC> =>
    OwnWait.createAndWait(
      {
        kind: "run",
        create: (restore, isCancelled) =>
          RetryPolicy.interruptible(restore, isCancelled ? "pauses" : "attempts")(create),
        wait: untilTerminal,
        onCreated,
        onEnd: spend,
        isForeign: RetryPolicy.isForeign
      },
      options
    )
