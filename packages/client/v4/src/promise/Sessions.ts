import type {
  Answer,
  CallOptions,
  CreateOptions,
  OpenStatus,
  Raw,
  WithoutResult,
  WithResult
} from "@webagent/core/promise"
import type { FollowUp } from "../FollowUp.ts"
import type { CompletedRun, Run, RunStatus } from "./Run.ts"
import type { CreateAndWaitOptions } from "./Runs.ts"

export type { FollowUp }

/** The response to queueing a message. The description promises none of its fields. */
export interface QueuedMessage extends Raw {
  readonly id?: number | string
  readonly sessionId?: string
  /** The run that the message becomes. */
  readonly runId?: string | null
  readonly mode?: "queue" | "interrupt" | OpenStatus
  readonly status?: "pending" | "dispatching" | "consumed" | "cancelled" | "superseded" | "failed" | OpenStatus
  readonly text?: string
  readonly attachedFileIds?: ReadonlyArray<string> | null
  readonly createdAt?: string
}

/** A session's pending messages, in the order in which they run. */
export interface QueuedMessages extends Raw {
  readonly queue: ReadonlyArray<QueuedMessage>
  /** When the first message interrupted a run. */
  readonly steeringCutoffs?: ReadonlyArray<Raw & { readonly sourceRunId?: string; readonly createdAt?: string }>
}

/** A session, with the task, title and status of its latest run. */
export interface SessionInfo extends Raw {
  readonly sessionId: string
  readonly workspaceId?: string | null
  readonly latestRunId?: string | null
  readonly task?: string
  readonly title?: string | null
  readonly status?: RunStatus
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** A page of sessions, newest first. */
export interface SessionPage extends Raw {
  readonly sessions: ReadonlyArray<SessionInfo>
  readonly nextCursor?: string | null
  /** False on the last page. */
  readonly hasMore?: boolean
}

/** Options of a list of sessions. */
export interface SessionListOptions extends Omit<CallOptions, "timeout"> {
  /** Number of sessions per page, from 1 to 100; by default, as the service decides. */
  readonly limit?: number | undefined
  /** Continues after a page, with its `nextCursor`. */
  readonly cursor?: string | undefined
}

/** The run that a message becomes. */
export interface NextRun {
  readonly id: string
  readonly sessionId: string
  /** The service's response to the message. */
  readonly queued: QueuedMessage
}

/** Options of `followUpAndWait`. */
export interface FollowUpAndWaitOptions extends CreateAndWaitOptions {
  /** True runs the message immediately; false, as unless told, as the next turn. */
  readonly interrupt?: boolean | undefined
  /** As for `queue`. */
  readonly deduplicate?: FollowUp["deduplicate"]
}

/** The sessions that runs belong to: a conversation that goes on. */
export interface Sessions {
  /**
   * Lists sessions, newest first. Pages are read while you iterate.
   *
   * @param options - `limit` is the number of sessions per page, from 1 to 100. `cursor` continues after a page that
   *   `listPage` has read.
   * @returns The sessions. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list sessions.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * for await (const each of new WebAgent().sessions.list()) console.log(each)
   * ```
   */
  list(options?: SessionListOptions): AsyncIterable<SessionInfo>
  /**
   * Reads one page of `list`. Pass its `nextCursor` as the `cursor` of the next one while `hasMore` isn't false.
   *
   * @param options - The same as for `list`.
   * @returns The sessions of the page, with `nextCursor` and `hasMore`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.listPage({ limit: 20 }))
   * ```
   */
  listPage(options?: SessionListOptions & CallOptions): Answer<SessionPage>
  /**
   * Reads a session, with the task, title and status of its latest run.
   *
   * @param id - The id of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The session as it is now.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `OperationUnavailableError` if it
   *   can't read single sessions.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.get("489b"))
   * ```
   */
  get(id: string, options?: CallOptions): Answer<SessionInfo>
  /**
   * Deletes all data of a session. A running session is stopped first. It can't be undone.
   *
   * @param id - The id of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns Nothing, once the data is deleted.
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   purge it again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.purge("489b"))
   * ```
   */
  purge(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads the pending messages of a session, in the order in which they run.
   *
   * @param id - The id of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The messages that have not become runs.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.messages("489b"))
   * ```
   */
  messages(id: string, options?: CallOptions): Answer<QueuedMessages>
  /**
   * Reads a queued message. Its `runId` is null until it becomes a run.
   *
   * @param sessionId - The id of the session.
   * @param id - The id of the message.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The message, with its `runId` once it is a run.
   * @throws `MessageNotFoundError` if the session has no message with this id.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.message("489b", 1))
   * ```
   */
  message(sessionId: string, id: string | number, options?: CallOptions): Answer<QueuedMessage>
  /**
   * Removes a pending message, so that it doesn't become a run. The request is retried if its response is lost. If the
   * retry doesn't find the message, the call succeeds with an empty record.
   *
   * @param sessionId - The id of the session.
   * @param id - The id of the message.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The removed message.
   * @throws `ConflictError` if the message isn't pending any more.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const clear = async (agent: WebAgent, sessionId: string) => {
   *   const { queue } = await agent.sessions.messages(sessionId)
   *   for (const { id = "" } of queue) await agent.sessions.removeMessage(sessionId, id)
   * }
   * ```
   */
  removeMessage(sessionId: string, id: string | number, options?: CallOptions): Answer<QueuedMessage>
  /**
   * Queues a message for a session. The message becomes a run, so it's sent once, like a create.
   *
   * @param sessionId - The id of the session.
   * @param message - The text. With `interrupt: true` it runs immediately instead of next.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The queued message, with its `runId` if it is a run already.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.queue("489b", { text: "Now the same for June" }))
   * ```
   */
  queue(sessionId: string, message: FollowUp, options?: CreateOptions): Answer<QueuedMessage>
  /**
   * Queues a message as the next run of a session.
   *
   * @param sessionId - The id of the session.
   * @param text - The task of the next run.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The run that the message becomes.
   * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.followUp("489b", "Now the same for June"))
   * ```
   */
  followUp(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /**
   * Sends a message that interrupts the current run of a session and runs immediately.
   *
   * @param sessionId - The id of the session.
   * @param text - The task of the next run.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The run that the message becomes.
   * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.interrupt("489b", "Stop, and book the first one"))
   * ```
   */
  interrupt(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /**
   * Queues a message and waits for the run that it becomes, like `createAndWait` of runs. While the message is pending
   * and has no run yet, the message is read.
   *
   * @param sessionId - The id of the session.
   * @param text - The task of the next run.
   * @param options - `timeout` limits the wait: 30 minutes by default. `interrupt: true` runs the message immediately.
   * @returns The finished run. With `result`, its result has the type of the schema.
   * @throws `WaitTimeoutError` if the run doesn't finish in time.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * console.log(await new WebAgent().sessions.followUpAndWait("489b", "Now the same for June"))
   * ```
   */
  followUpAndWait(sessionId: string, text: string, options?: FollowUpAndWaitOptions & WithoutResult): Promise<Run>
  followUpAndWait<Result>(
    sessionId: string,
    text: string,
    options: FollowUpAndWaitOptions & WithResult<Result>
  ): Promise<CompletedRun<Result>>
}
