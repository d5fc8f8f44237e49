import type {
  Answer,
  CallOptions,
  CreateOptions,
  EndOptions,
  OwnWaitOptions,
  WaitOptions,
  WithoutResult,
  WithResult
} from "@webagent/core/promise"
import type { CompletedSession, Session, SessionCreate, SessionMessages, SessionPage } from "./Session.ts"

/** Options of a wait for a session. */
export interface SessionWaitOptions extends WaitOptions, EndOptions {}

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends Omit<CallOptions, "timeout"> {
  /** The page to start with; 1 by default. */
  readonly page?: number | undefined
  /** Number of sessions per page, from 1 to 100; by default, as the service decides. */
  readonly page_size?: number | undefined
}

/** Options of reading the messages of a session. */
export interface SessionMessagesOptions extends CallOptions {
  /** The id of a message: reads those that follow it. */
  readonly after?: string | undefined
  /** The id of a message: reads those that precede it. */
  readonly before?: string | undefined
  /** Number of messages, from 1 to 100; by default, as the service decides. */
  readonly limit?: number | undefined
}

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions extends OwnWaitOptions<Session, Session>, Omit<CreateOptions, "timeout"> {}

/** The sessions of API v3: created from a task, read until their result is there. */
export interface Sessions {
  /**
   * Creates a session from a task, and doesn't wait for its result. The request is sent once.
   *
   * @param input - The task, and options of the session.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The created session. Only its `id` is certain.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.create({ task: "Find a red mug" }))
   * ```
   */
  create(input: SessionCreate, options?: CreateOptions): Answer<Session>
  /**
   * Reads a session. It has a result once its task is done.
   *
   * @param id - The id of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The session as it is now.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.get("489b"))
   * ```
   */
  get(id: string, options?: CallOptions): Answer<Session>
  /**
   * Lists sessions, newest first. Pages are read while you iterate.
   *
   * @param options - `page_size` is the number of sessions per page, from 1 to 100, and `page` the page to start with.
   * @returns The sessions. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list sessions.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * for await (const { status } of new WebAgent().sessions.list()) console.log(status)
   * ```
   */
  list(options?: SessionListOptions): AsyncIterable<Session>
  /**
   * Reads one page of `list`. `total` is the number of sessions on all pages.
   *
   * @param options - The same as for `list`.
   * @returns The sessions of the page, and `total`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.listPage({ page: 2 }))
   * ```
   */
  listPage(options?: SessionListOptions & CallOptions): Answer<SessionPage>
  /**
   * Stops a session for good, with its tasks. With the strategy `task`, its tasks are canceled and the session stays.
   * Repeating the call does no harm, so the request is retried if the service can't be reached.
   *
   * @param id - The id of the session.
   * @param input - The strategy: `session` by default, or `task`.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The session as the service shows it after the request.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `OperationUnavailableError` if it can't
   *   stop sessions.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v3/promise"
   *
   * export const cancelTasks = (agent: WebAgent, id: string) => agent.sessions.stop(id, { strategy: "task" })
   * ```
   */
  stop(id: string, input?: { readonly strategy?: "task" | "session" }, options?: CallOptions): Answer<Session>
  /**
   * Deletes a session with its data. A running session is stopped first. It can't be undone.
   *
   * @param id - The id of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns Nothing, once the session is deleted.
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   delete it again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.delete("489b"))
   * ```
   */
  delete(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads messages of a session, oldest first: its tasks, and the steps of the agent.
   *
   * @param id - The id of the session.
   * @param options - `after` or `before` is the id of a message. `limit` is the number of messages, from 1 to 100.
   * @returns The messages, and whether there are more.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.messages("489b", { limit: 20 }))
   * ```
   */
  messages(id: string, options?: SessionMessagesOptions): Answer<SessionMessages>
  /**
   * Waits until a session is done. A session that failed is a value unless you pass `result`.
   *
   * @param id - The id of the session.
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
   * @returns The session with its result.
   * @throws `WaitTimeoutError` if it isn't done in time. Wait again with its `id`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.untilTerminal("489b"))
   * ```
   */
  untilTerminal(id: string, options?: SessionWaitOptions & WithoutResult): Promise<Session>
  untilTerminal<Result>(id: string, options: SessionWaitOptions & WithResult<Result>): Promise<CompletedSession<Result>>
  /**
   * Creates a session and waits for its result.
   *
   * If the wait stops first, the session continues on the service. Pass `onEnd: "cancel"` to stop it as well, or
   * `onAbort: "cancel"` to stop it only if the signal is aborted.
   *
   * @param input - The task.
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
   * @returns The session with its result.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `WaitTimeoutError` if the session isn't done in time. Wait again with its `id`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * console.log(await new WebAgent().sessions.createAndWait({ task: "Find a red mug" }))
   * ```
   */
  createAndWait(input: SessionCreate, options?: CreateAndWaitOptions & WithoutResult): Promise<Session>
  createAndWait<Result>(
    input: SessionCreate,
    options: CreateAndWaitOptions & WithResult<Result>
  ): Promise<CompletedSession<Result>>
  /**
   * Emits a session whenever its status changes. The last one is final. Polling stops when you leave the loop.
   *
   * @param id - The id of the session.
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @returns The session after each change, up to the final one.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v3/promise"
   *
   * for await (const { status } of new WebAgent().sessions.watch("489b")) console.log(status)
   * ```
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<Session>
}
