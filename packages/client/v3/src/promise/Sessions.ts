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
  /** Creates a session from a task. When its answer is lost it is a CreateOutcomeUnknown, unless the service honours keys. */
  create(input: SessionCreate, options?: CreateOptions): Answer<Session>
  /** Reads a session, with its result once there is one. */
  get(id: string, options?: CallOptions): Answer<Session>
  /**
   * Waits until the session's result does not change by itself any more. A session that failed is a value, and an
   * error only where `result` asks for a result of a type.
   */
  untilTerminal(id: string, options?: WaitOptions & WithoutResult): Promise<Session>
  untilTerminal<Result>(id: string, options: WaitOptions & WithResult<Result>): Promise<CompletedSession<Result>>
  /**
   * Creates a session and waits for its result. When the wait ends before the session does, the session goes on unless
   * `cancel` says how to end it; its id is in the WaitTimeoutError, or in a warning.
   */
  createAndWait(input: SessionCreate, options?: CreateAndWaitOptions & WithoutResult): Promise<Session>
  createAndWait<Result>(
    input: SessionCreate,
    options: CreateAndWaitOptions & WithResult<Result>
  ): Promise<CompletedSession<Result>>
  /** The session whenever its status has changed, the terminal one last. Leaving the loop ends the polls. */
  watch(id: string, options?: WaitOptions): AsyncIterable<Session>
}
