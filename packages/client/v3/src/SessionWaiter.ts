import { SessionNotFoundError } from "@webagent/contract"
import { isTerminalSessionStatus, type Session } from "@webagent/contract/v3"
import { v3SessionStatuses } from "@webagent/contract/Wire"
import { CallOptions, type ContractClient, type Grace, RetryPolicy, Transport } from "@webagent/core"
import { PollBudget, Waiter } from "@webagent/polling"
import * as Effect from "effect/Effect"

const describedStatuses = new Set<string>(v3SessionStatuses)

/** Errors that reading a session can fail with. */
export type SessionError = SessionNotFoundError | ContractClient.CallError

// no status is described for v3: where there is none, the result itself is what one waits for
const hasResult = (session: Session) => session.result !== undefined && session.result !== null

/** Returns whether a session's result is final. */
export const isTerminal = (session: Session): boolean =>
  session.status === undefined ? hasResult(session) : isTerminalSessionStatus(session.status)

const statusOf = (session: Session) => session.status ?? (hasResult(session) ? "with a result" : "without a result")

/** The service has just created the session: what hides it from us is no sign of a wrong address. */
export const isAbsent = (error: unknown): boolean => error instanceof SessionNotFoundError || RetryPolicy.isOdd(error)

/** Waits for sessions: one poll loop a session, all within one budget. */
export const make = Effect.fnUntraced(function* (
  get: (id: string) => Effect.Effect<Session, SessionError>,
  isFresh: Grace.Grace["isFresh"]
) {
  const budget = yield* PollBudget.orDefault
  const { requestId } = yield* Transport
  const retryable = (error: SessionError, { answered, id, now_ms, silent_ms }: Waiter.Silence) =>
    RetryPolicy.forWait(error, answered, silent_ms) ??
    (isAbsent(error) && isFresh(id, now_ms) ? { pause: RetryPolicy.standard.base } : undefined)
  return yield* Waiter.make({
    kind: "session",
    requestId,
    check: (id, requestId) => CallOptions.poll(get(id), requestId),
    budget,
    isTerminal,
    statusOf,
    isKnown: ({ status }) => status === undefined || describedStatuses.has(status),
    retryable
  })
})
