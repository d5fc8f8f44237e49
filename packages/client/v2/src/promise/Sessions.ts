import type { Answer, CallOptions, Raw, WaitOptions } from "@webagent/core/promise"
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

/** Options of a list of sessions, whose pages have numbers. */
export interface SessionListOptions extends Omit<CallOptions, "timeout"> {
  /** Lists sessions with this status. */
  readonly filterBy?: SessionView["status"] | undefined
  /** Number of sessions per page, from 1 to 100; by default, as the service decides. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

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
   * Reads a session with its tasks.
   *
   * @param id - A UUID. Any other id is refused before a request is sent.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   */
  get(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Waits until every task of a session is done, or until a session without tasks is stopped.
   *
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
   */
  untilTerminal(id: string, options?: WaitOptions): Promise<SessionView>
  /**
   * Emits a session whenever its status or the status of a task changes. The last one is final. Polling stops when you leave the loop.
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<SessionView>
}
