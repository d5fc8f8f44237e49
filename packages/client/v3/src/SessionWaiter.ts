import type { SessionNotFoundError } from "@webagent/contract"
import { isTerminalSessionStatus, type Session } from "@webagent/contract/v3"
import { v3SessionStatuses } from "@webagent/contract/Wire"
import { type ContractClient, RetryPolicy } from "@webagent/core"
import { PollBudget, Waiter } from "@webagent/polling"
import * as Effect from "effect/Effect"

const known = new Set<string>(v3SessionStatuses)

/** What reading a session can fail with. */
export type SessionError = SessionNotFoundError | ContractClient.CallError

// no status is described for v3: where there is none, the result itself is what one waits for
const hasResult = (session: Session) => session.result !== undefined && session.result !== null

/** Whether a session's result will not change by itself. */
export const isTerminal = (session: Session): boolean =>
  session.status === undefined ? hasResult(session) : isTerminalSessionStatus(session.status)

const statusOf = (session: Session) => session.status ?? (hasResult(session) ? "with a result" : "without a result")

/** Waits for sessions: one poll loop a session, all within one budget. */
export const make = Effect.fnUntraced(function* (get: (id: string) => Effect.Effect<Session, SessionError>) {
  const budget = yield* PollBudget.orDefault
  return yield* Waiter.make({
    kind: "session",
    check: get,
    budget,
    isTerminal,
    statusOf,
    isKnown: ({ status }) => status === undefined || known.has(status),
    retryable: RetryPolicy.transientOf
  })
})
