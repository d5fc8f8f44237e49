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
  readonly id?: string
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
  /** Queues a follow-up message. It becomes a run, so it is sent by the rules for creates. */
  queue(sessionId: string, message: FollowUp, options?: CreateOptions): Answer<QueuedMessage>
  /** Queues a message as the next turn and gives the run that it becomes, as the answer's `runId` names it. */
  followUp(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /** The same for a message that runs immediately. */
  interrupt(sessionId: string, text: string, options?: CreateOptions): Answer<NextRun>
  /** Queues a message and waits for the run that it becomes, as `runs.createAndWait` does. */
  followUpAndWait(sessionId: string, text: string, options?: FollowUpAndWaitOptions & WithoutResult): Promise<Run>
  followUpAndWait<Result>(
    sessionId: string,
    text: string,
    options: FollowUpAndWaitOptions & WithResult<Result>
  ): Promise<CompletedRun<Result>>
}
