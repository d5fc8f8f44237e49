import type { BrowserQueue } from "./BrowserQueue.ts"
import type * as Decimal from "./Decimal.ts"
import type { InvalidTransition } from "./InvalidTransition.ts"
import type { ModelCallReport } from "./ModelCall.ts"
import type * as Question from "./Question.ts"
import type * as Turn from "./Turn.ts"

/** Progress of a turn that an agent reports in addition to the events that change the turn's status. */
export interface Progress {
  readonly used?: Turn.Usage
  /** A model call that finished. It counts even if the turn has been cancelled in the meantime, because it's paid for. */
  readonly call?: ModelCallReport | undefined
  readonly checkpoint?: Turn.Turn["checkpoint"]
  /** A step that is about to begin. */
  readonly step?: Turn.Step
  /** A step that is over, as it began, and why it failed. */
  readonly ended?: {
    readonly step: Turn.TurnStep
    readonly failure: string | null
    readonly details?: Turn.StepDetails | undefined
  }
  /** A question to a person. Nothing is asked while the turn waits for another one. */
  readonly ask?: Question.QuestionRequest
  /** The wait for a question is over without an answer. A question that was answered meanwhile keeps its answer. */
  readonly unanswered?: { readonly id: string; readonly kind: "expired" | "handed_back"; readonly by: string | null }
  /** The agent does nothing but wait for the outcomes of the turn's questions. */
  readonly waits?: boolean
  /** The agent has the outcomes of the turn's questions, and goes on. */
  readonly goesOn?: boolean
}

/** Command for a session. */
export type Command =
  /**
   * Adds a turn. An interrupt cancels the turn at work and runs before all that wait. With `deduplicate`, a waiting turn
   * with the same task and mode is the result, and nothing is added.
   */
  | {
      readonly _tag: "Queue"
      readonly turn: Turn.Turn
      readonly interrupt: boolean
      readonly deduplicate?: boolean
    }
  /** With `onlyQueued`, a turn that a node has taken is not cancelled: the refusal is `Over`. */
  | { readonly _tag: "Cancel"; readonly turnId: string; readonly onlyQueued?: boolean }
  /** Has a running turn wait for a person, between two steps of its agent. */
  | { readonly _tag: "Ask"; readonly turnId: string; readonly request: Question.QuestionRequest }
  | {
      readonly _tag: "Answer"
      readonly turnId: string
      readonly questionId: string
      readonly answer: string
      readonly by: string | null
      /** True if a person has control of the browser. Then the deadline doesn't count. */
      readonly isDriven?: boolean
    }
  /** Cancels all open turns, and accepts no more. */
  | { readonly _tag: "Stop" }
  /** Stops the session if it is idle since this time, or longer. */
  | { readonly _tag: "StopIdle"; readonly since_ms: number }
  /** Makes the session readable by its link without an API key, also when it is stopped. */
  | { readonly _tag: "Share" }
  /** Ends that. */
  | { readonly _tag: "Unshare" }
  /** The session's agent has a browser from now on; the one before used this much. */
  | {
      readonly _tag: "UseBrowser"
      readonly token: number
      readonly browserId: string
      readonly usedMb: Decimal.Decimal
    }
  /** A node takes the next turn, if no node has one. `from` is a node that is lost: what it had is taken over. */
  | { readonly _tag: "Take"; readonly node: string; readonly from?: string; readonly resumes?: Resumes | undefined }
  /**
   * Reports an event of the lease's holder. With `leaves`, its agent is gone when the event finishes the turn; a node
   * that `goesOn` takes the next turn in the same step.
   */
  | {
      readonly _tag: "Report"
      readonly token: number
      readonly event: Turn.TurnEvent
      readonly leaves: boolean
      readonly goesOn?: boolean
    }
  | { readonly _tag: "Progress"; readonly token: number; readonly progress: Progress }
  /** The turn, which has not begun, waits for a free browser. */
  | { readonly _tag: "Wait"; readonly token: number; readonly queue: BrowserQueue }
  /** The agent is gone, however that came about: its turn ends with `ending` if it has not ended. */
  | {
      readonly _tag: "LetGo"
      readonly token: number
      readonly ending: Turn.TurnEvent
      readonly goesOn?: boolean
      readonly used?: Turn.Usage | undefined
    }
  /** The node closes: what had not begun is given back, what runs ends with a reason or waits to go on. */
  | {
      readonly _tag: "GiveBack"
      readonly token: number
      readonly resumes?: Resumes | undefined
      readonly used?: Turn.Usage | undefined
    }

/** Predicate for whether a running turn can continue on another node. */
export type Resumes = (turn: Turn.Turn) => boolean

/** The reason why a command is refused. */
export type Refusal =
  | InvalidTransition
  | { readonly _tag: "Stopped" }
  /** The session has something to do, or had until a moment ago. */
  | { readonly _tag: "Busy" }
  /** The turn does not go on, or has not begun. */
  | { readonly _tag: "Over" }
  | { readonly _tag: "LeaseLost" }
  /** The turn doesn't wait for this answer: it was given, or its time is over. */
  | { readonly _tag: "NotWaiting" }
  /** The turn waits already, or has asked as often as it may. */
  | { readonly _tag: "Waiting" }
  /** The answer neither raises the turn's cost limit nor ends the turn. */
  | { readonly _tag: "NotRaised" }
