import type { Answer, CallOptions, CreateOptions, EndOptions, Raw, WaitOptions } from "@webagent/core/promise"
import type { SessionView } from "./Session.ts"

/** A session without its tasks. */
export type SessionItemView = Omit<SessionView, "tasks" | "publicShareUrl">

/** A page of sessions, newest first. */
export interface SessionPage extends Raw {
  readonly items: ReadonlyArray<SessionItemView>
  /** Number of sessions on all pages. */
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** Settings of a session without tasks. */
export interface SessionCreate {
  /** True keeps it active when all its tasks are done. */
  readonly keepAlive?: boolean
  readonly persistMemory?: boolean
}

/** A public share of a session: `shareUrl` shows the session to everyone who has it, without an API key. */
export interface ShareView extends Raw {
  readonly shareToken: string
  readonly shareUrl: string
  readonly lastViewedAt: string | null
}

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends Omit<CallOptions, "timeout"> {
  /** Lists sessions with this status. */
  readonly filterBy?: SessionView["status"] | undefined
  /** Number of sessions per page, from 1 to 100; by default, as the service decides. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/** Options of a wait for a session. */
export interface SessionWaitOptions extends WaitOptions, EndOptions {}

/** The browser sessions of API v2, with their tasks. */
export interface Sessions {
  /**
   * Lists sessions without their tasks, newest first. Pages are read while you iterate.
   *
   * @throws `OperationUnavailableError` if the service doesn't list sessions.
   */
  list(options?: SessionListOptions): AsyncIterable<SessionItemView>
  /** Reads one page of `list`. `totalItems` is the number of sessions on all pages. */
  listPage(options?: SessionListOptions & CallOptions): Answer<SessionPage>
  /** Stops a session and its tasks. The request is retried if the service can't be reached. */
  stop(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Creates a session without tasks. Add them with `tasks.create` and its id.
   *
   * @throws `OperationUnavailableError` if the service creates sessions with their first task only.
   */
  create(input?: SessionCreate, options?: CreateOptions): Answer<SessionItemView>
  /**
   * Deletes a session with its tasks. A running session is stopped first. It can't be undone.
   *
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   delete it again.
   */
  delete(id: string, options?: CallOptions): Answer<void>
  /**
   * Deletes a session with its tasks, as `delete` does, at services that have both. A running session is stopped first.
   *
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   purge it again.
   */
  purge(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads the public share of a session.
   *
   * @throws `ShareNotFoundError` if the session isn't shared, or the service has no session with this id.
   */
  getShare(id: string, options?: CallOptions): Answer<ShareView>
  /** Shares a session: everyone with its `shareUrl` can read it, without an API key. */
  share(id: string, options?: CreateOptions): Answer<ShareView>
  /** Ends the public share of a session, so that its link shows nothing any more. */
  unshare(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads a session with its tasks.
   *
   * @param id - A UUID. Any other id is refused before a request is sent.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   */
  get(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Waits until every task of a session is done, or until a session without tasks is stopped.
   *
   * @param options - `timeout` limits the wait: 30 minutes by default. With `onEnd: "cancel"`, the session and its tasks
   *   are stopped if the wait ends first, and with `onAbort: "cancel"` if the signal is aborted.
   * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
   */
  untilTerminal(id: string, options?: SessionWaitOptions): Promise<SessionView>
  /**
   * Emits a session whenever its status or the status of a task changes. The last one is final. Polling stops when you leave the loop.
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<SessionView>
}
