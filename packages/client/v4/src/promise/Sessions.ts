import type { Answer, CreateOptions, OpenStatus, Raw, WithoutResult, WithResult } from "@webagent/core/promise"
import type { CompletedRun, Run } from "./Run.ts"
import type { CreateAndWaitOptions } from "./Runs.ts"

/** A follow-up for a session. */
export interface FollowUp {
  readonly text: string
  /** False, as unless told, runs it as the next turn; true runs it immediately. */
  readonly interrupt?: boolean
}

/** The response to queueing a message. The description promises none of its fields. */
export interface QueuedMessage extends Raw {
  readonly id?: number | string
  readonly sessionId?: string
  /** The run that the message becomes. */
  readonly runId?: string | null
  readonly mode?: "queue" | "interrupt" | OpenStatus
  readonly status?: "pending" | "dispatching" | "consumed" | "cancelled" | "superseded" | "failed" | OpenStatus
  readonly text?: string
  readonly createdAt?: string
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
}

/** The sessions that runs belong to: a conversation that goes on. */
export interface Sessions {
  /**
   * Queues a message for a session. The message becomes a run, so it's sent once, like a create.
   *
   * @param message - The text. With `interrupt: true` it runs immediately instead of next.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   */
  queue(sessionId: string, message: FollowUp, options?: CreateOptions): Answer<QueuedMessage>
  /**
   * Queues a message as the next run of a session.
   *
   * @returns The run that the message becomes.
   * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
   */
  followUp(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /**
   * Sends a message that interrupts the current run of a session and runs immediately.
   *
   * @returns The run that the message becomes.
   * @throws `NextRunUnknownError` if the response has no `runId`. Don't send the message again.
   */
  interrupt(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /**
   * Queues a message and waits for the run that it becomes, like `createAndWait` of runs.
   *
   * @param options - `timeout` limits the wait: 30 minutes by default. `interrupt: true` runs the message immediately.
   * @returns The finished run. With `result`, its result has the type of the schema.
   * @throws `WaitTimeoutError` if the run doesn't finish in time.
   */
  followUpAndWait(sessionId: string, text: string, options?: FollowUpAndWaitOptions & WithoutResult): Promise<Run>
  followUpAndWait<Result>(
    sessionId: string,
    text: string,
    options: FollowUpAndWaitOptions & WithResult<Result>
  ): Promise<CompletedRun<Result>>
}
