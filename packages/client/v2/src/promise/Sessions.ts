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
   * @param options - `filterBy` is a status. `pageSize` is the number of sessions per page, from 1 to 100, and
   *   `pageNumber` the first page.
   * @returns The sessions without their tasks. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list sessions.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * for await (const { status } of new WebAgent().sessions.list()) console.log(status)
   * ```
   */
  list(options?: SessionListOptions): AsyncIterable<SessionItemView>
  /**
   * Reads one page of `list`. `totalItems` is the number of sessions on all pages.
   *
   * @param options - The same as for `list`.
   * @returns The sessions of the page, and `totalItems`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.listPage({ pageNumber: 2 }))
   * ```
   */
  listPage(options?: SessionListOptions & CallOptions): Answer<SessionPage>
  /**
   * Stops a session and its tasks. The request is retried if the service can't be reached.
   *
   * @param id - The UUID of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The stopped session.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.stop("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  stop(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Creates a session without tasks. Add them with `tasks.create` and its id.
   *
   * @param input - Settings of the session, such as a profile.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The created session, without tasks.
   * @throws `OperationUnavailableError` if the service creates sessions with their first task only.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.create())
   * ```
   */
  create(input?: SessionCreate, options?: CreateOptions): Answer<SessionItemView>
  /**
   * Deletes a session with its tasks. A running session is stopped first. It can't be undone.
   *
   * @param id - The UUID of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns Nothing, once the session is deleted.
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   delete it again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.delete("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  delete(id: string, options?: CallOptions): Answer<void>
  /**
   * Deletes a session with its tasks, as `delete` does, at services that have both. A running session is stopped first.
   *
   * @param id - The UUID of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns Nothing, once the session is deleted.
   * @throws `ConflictError` if the agent hasn't released the session within 10 seconds. The session is stopped then, so
   *   purge it again.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.purge("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  purge(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads the public share of a session.
   *
   * @param id - The UUID of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The share with its `shareUrl`.
   * @throws `ShareNotFoundError` if the session isn't shared, or the service has no session with this id.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.getShare("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  getShare(id: string, options?: CallOptions): Answer<ShareView>
  /**
   * Shares a session: everyone with its `shareUrl` can read it, without an API key.
   *
   * @param id - The UUID of the session.
   * @param options - An idempotency key, headers, a signal and retries of this call.
   * @returns The share with its `shareUrl`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.share("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  share(id: string, options?: CreateOptions): Answer<ShareView>
  /**
   * Ends the public share of a session, so that its link shows nothing any more.
   *
   * @param id - The UUID of the session.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns Nothing, once the link is closed.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.unshare("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  unshare(id: string, options?: CallOptions): Answer<void>
  /**
   * Reads a session with its tasks.
   *
   * @param id - A UUID. Any other id is refused before a request is sent.
   * @param options - Headers, a request id, a signal and retries of this call.
   * @returns The session with its tasks.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.get("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  get(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Waits until every task of a session is done, or until a session without tasks is stopped.
   *
   * @param id - The UUID of the session.
   * @param options - `timeout` limits the wait: 30 minutes by default. With `onEnd: "cancel"`, the session and its tasks
   *   are stopped if the wait ends first, and with `onAbort: "cancel"` if the signal is aborted.
   * @returns The session, in which every task is done.
   * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * console.log(await new WebAgent().sessions.untilTerminal("bccfc2ba-1455-4856-a1de-93eb612ebb15"))
   * ```
   */
  untilTerminal(id: string, options?: SessionWaitOptions): Promise<SessionView>
  /**
   * Emits a session whenever its status or the status of a task changes. The last one is final. Polling stops when you leave the loop.
   *
   * @param id - The UUID of the session.
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @returns The session after each change, up to the final one.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v2/promise"
   *
   * for await (const { status } of new WebAgent().sessions.watch("bccfc2ba-1455-4856-a1de-93eb612ebb15")) console.log(status)
   * ```
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<SessionView>
}
