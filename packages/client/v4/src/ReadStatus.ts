import type { RunNotFoundError } from "@webagent/contract"
import type { RunStatusView } from "@webagent/contract/v4"
import type { CallError } from "@webagent/core"
import type { Waiter } from "@webagent/polling"
import type * as Effect from "effect/Effect"

/** Errors that reading a run can fail with. */
export type RunError = RunNotFoundError | CallError

/** Reads the next status of a run that is waited for. It may wait for a change. */
export type ReadStatus = (
  id: string,
  polled: Waiter.PolledState<RunStatusView>,
  read: Effect.Effect<RunStatusView, RunError>
) => Effect.Effect<RunStatusView, RunError>
