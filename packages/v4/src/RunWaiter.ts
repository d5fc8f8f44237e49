import type { RunNotFoundError } from "@webagent/contract"
import { isTerminalRunStatus, type RunStatusView } from "@webagent/contract/v4"
import { type ContractClient, RetryPolicy } from "@webagent/core"
import { PollBudget, Waiter } from "@webagent/polling"
import * as Effect from "effect/Effect"

/** What reading a run can fail with. */
export type RunError = RunNotFoundError | ContractClient.CallError

/** Waits for runs by their cheap status: one poll loop a run, all within one budget. */
export const make = Effect.fnUntraced(function* (status: (id: string) => Effect.Effect<RunStatusView, RunError>) {
  const budget = yield* PollBudget.orDefault
  return yield* Waiter.make({
    kind: "run",
    check: (id) => Effect.andThen(budget.take, status(id)),
    isTerminal: (view) => isTerminalRunStatus(view.status),
    statusOf: (view) => view.status,
    retryable: RetryPolicy.transient
  })
})
