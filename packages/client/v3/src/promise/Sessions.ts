import type {
  Answer,
  CallOptions,
  CreateOptions,
  OwnWaitOptions,
  WaitOptions,
  WithoutResult,
  WithResult
} from "@webagent/core/promise"
import type { CompletedSession, Session, SessionCreate } from "./Session.ts"

/** Options of `createAndWait`. */
export interface CreateAndWaitOptions extends OwnWaitOptions<Session>, Omit<CreateOptions, "timeout"> {}

/** The sessions of API v3: created from a task, read until their result is there. */
export interface Sessions {
  /**
   * Creates a session from a task, and doesn't wait for its result. The request is sent once.
   *
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   */
  create(input: SessionCreate, options?: CreateOptions): Answer<Session>
  /**
   * Reads a session. It has a result once its task is done.
   *
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   */
  get(id: string, options?: CallOptions): Answer<Session>
  /**
   * Waits until a session is done. A session that failed is a value unless you pass `result`.
   *
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
   * @returns The session with its result.
   * @throws `WaitTimeoutError` if it isn't done in time. Wait again with its `id`.
   */
  untilTerminal(id: string, options?: WaitOptions & WithoutResult): Promise<Session>
  untilTerminal<Result>(id: string, options: WaitOptions & WithResult<Result>): Promise<CompletedSession<Result>>
  /**
   * Creates a session and waits for its result.
   *
   * If the wait stops first, the session continues on the service. Pass `cancel` to stop it as well.
   *
   * @param input - The task.
   * @param options - `timeout` limits the wait: 30 minutes by default. `result` is a schema that checks and types the result.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `WaitTimeoutError` if the session isn't done in time. Wait again with its `id`.
   */
  createAndWait(input: SessionCreate, options?: CreateAndWaitOptions & WithoutResult): Promise<Session>
  createAndWait<Result>(
    input: SessionCreate,
    options: CreateAndWaitOptions & WithResult<Result>
  ): Promise<CompletedSession<Result>>
  /** Emits a session whenever its status changes. The last one is final. Polling stops when you leave the loop. */
  watch(id: string, options?: WaitOptions): AsyncIterable<Session>
}
