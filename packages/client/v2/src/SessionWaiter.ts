import type { SessionNotFoundError } from "@webagent/contract"
import { isTerminalTaskStatus, type SessionView } from "@webagent/contract/v2"
import { taskStatuses } from "@webagent/contract/Wire"
import { CallOptions, type ContractClient, RetryPolicy, Transport } from "@webagent/core"
import { PollBudget, Waiter } from "@webagent/polling"
import * as Effect from "effect/Effect"

const describedStatuses = new Set<string>(taskStatuses)

/** Errors that reading a session can fail with. */
export type SessionError = SessionNotFoundError | ContractClient.CallError

// a session without tasks has nothing to wait for only once none can come any more
const isTerminal = ({ status, tasks }: SessionView) =>
  tasks.length === 0 ? status === "stopped" : tasks.every((task) => isTerminalTaskStatus(task.status))

const statusOf = ({ status, tasks }: SessionView) => [status, ...tasks.map((task) => task.status)].join(", ")

/** Waits for sessions: one poll loop a session, all within one budget. */
export const make = Effect.fnUntraced(function* (get: (id: string) => Effect.Effect<SessionView, SessionError>) {
  const budget = yield* PollBudget.orDefault
  const { requestId } = yield* Transport
  return yield* Waiter.make({
    kind: "session",
    requestId,
    check: (id, requestId) => CallOptions.poll(get(id), requestId),
    budget,
    isTerminal,
    statusOf,
    isKnown: ({ tasks }) => tasks.every(({ status }) => describedStatuses.has(status)),
    retryable: (error, { answered, silent_ms }) => RetryPolicy.forWait(error, answered, silent_ms)
  })
})
