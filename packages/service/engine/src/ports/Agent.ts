import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { OpenedSecret } from "../domain/BoundSecret.ts"
import type { Decision, Progress } from "../domain/Decide.ts"
import type { Session, SessionSettings } from "../domain/Session.ts"
import type { ModelCallReport } from "../domain/ModelCall.ts"
import type { Question, QuestionRequest } from "../domain/Question.ts"
import type {
  Budget,
  CancelReason,
  Failure,
  Step,
  StepDetails,
  Turn,
  TurnEvent,
  TurnStep,
  Usage
} from "../domain/Turn.ts"
import type { CdpTransport, LaunchFailed } from "./BrowserPool.ts"
import type { AttachedFile } from "./Workspaces.ts"

/** The agent broke down: its turn fails with this sentence, and with this tag for the reason (default: `agent`). */
export class AgentError extends Data.TaggedError("AgentError")<{
  readonly message: string
  readonly failure?: Failure
}> {}

/** The turn is over, or another node has it. The agent must do nothing more that costs. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly turnId: string }> {}

/** Description of an agent, and its settings. */
export interface AgentIdentity {
  /** The language model, as v2 shows it. */
  readonly model: string
  /** True if a turn may ask for this model; by default, only for `model`. */
  readonly accepts?: (model: string) => boolean
  /** The models that turns may ask for, for people; by default, only `model`. */
  readonly models?: ReadonlyArray<string>
  /** True for the name of a secret of the server that turns may bind. Without it, the agent types no secrets. */
  readonly hasSecret?: (name: string) => boolean
  /** The completed turns whose steps it can repeat: those with recorded calls, or all of them. None by default. */
  readonly replays?: "recorded" | "all"
  /** The version of the agent, as v2 shows it. */
  readonly version: string
  /** Settings of a new session that differ from the defaults of the service description. */
  readonly settings?: (sessionId: string) => Partial<SessionSettings>
  /** True if this node continues a lost node's running turn from its checkpoint. Without it, such a turn fails. */
  readonly resumes?: (turn: Turn) => boolean
}

/** A connection to the browser of a session. */
export interface SessionBrowser extends CdpTransport {
  /** True if it was just launched: if the session had a browser before, that one is gone with all its contents. */
  readonly isNew: boolean
  /** The same object in each run for as long as the browser runs. */
  readonly identity: object
}

/** A step that an agent begins. */
export interface SeenStep extends Omit<Step, "picture"> {
  /** A JPEG of what it saw, if there is one. */
  readonly picture: Uint8Array | null
  /** State of the turn to store from now on, as with `checkpoint`. */
  readonly checkpoint?: Turn["checkpoint"]
}

/** A question of an agent to a person. */
export type Asked = Pick<QuestionRequest, "reason" | "question" | "choices" | "askedBy">

/** A question to a person whose wait is over. */
export interface HandedOver {
  readonly question: Question
  readonly outcome: NonNullable<Question["outcome"]>
  /** True if a person drove the browser meanwhile. */
  readonly wasDriven: boolean
}

/** Input of an agent that performs a turn, and the functions with which it reports. */
export interface Attempt {
  readonly session: Session
  /** The turns of the session before this one, in the order in which they were created. */
  readonly earlier: Effect.Effect<ReadonlyArray<Turn>>
  /** The steps of the turn that this one replays, in their order; none if it's no replay. */
  readonly recorded: Effect.Effect<ReadonlyArray<TurnStep>>
  /** A connection to the session's browser, which is launched at first use and stops with the session. */
  readonly browser: Effect.Effect<SessionBrowser, LaunchFailed, Scope.Scope>
  /**
   * Lets the session's browser connect to these domains only (`example.com`, `*.example.com`), now and when it is
   * launched later in this turn; null, as at the turn's start, for all.
   */
  readonly allowDomains: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
  /** Has viewers and the recording of the session's browser see the pictures of steps only, from now on: see `LiveViews`. */
  readonly conceal: Effect.Effect<void>
  /** The secrets that the caller bound to the turn. They can't be decrypted if their key is gone. */
  readonly secrets: Effect.Effect<ReadonlyArray<OpenedSecret>, AgentError>
  /** The files that the caller attached to the turn. */
  readonly attached: Effect.Effect<ReadonlyArray<AttachedFile>>
  /** Stores a file that the agent downloaded, as an attachment of the run. False if there is no room or no storage. */
  readonly attach: (name: string, size: number, bytes: Stream.Stream<Uint8Array, unknown>) => Effect.Effect<boolean>
  /** Limits of the turn; the agent finishes it before it exceeds them. */
  readonly budget: Budget | null
  /**
   * Time in this attempt that the agent waited while a person had control of the browser, or for answers whose questions
   * pause the limits. It's no part of the limits.
   */
  readonly paused_ms: Effect.Effect<number>
  /**
   * Asks a person and waits for the outcome; null if the turn has asked as often as it may. Fails as `unanswered` if
   * no person answers in time and the turn is to fail then. The agent must not act in the browser meanwhile.
   * `checkpoint` is the state to store for the wait, as with `checkpoint`.
   */
  readonly ask: (
    asked: Asked,
    checkpoint?: Turn["checkpoint"]
  ) => Effect.Effect<HandedOver | null, AgentError | LeaseLost>
  /**
   * Waits for the answers to questions that requests asked since the agent's last step, and to the one for which the
   * turn waited at another node. Returns their outcomes, each once. Agents call it between steps. `checkpoint` is as
   * that of `ask`.
   */
  readonly handedOver: (
    checkpoint?: Turn["checkpoint"]
  ) => Effect.Effect<ReadonlyArray<HandedOver>, AgentError | LeaseLost>
  /** Waits until the agent is asked to let go; it is interrupted after `grace_ms`. */
  readonly cancelled: Effect.Effect<CancelReason>
  /** Stores that a step begins: before whatever costs, so that after a crash it is known to have begun. */
  readonly step: (step: SeenStep) => Effect.Effect<void, LeaseLost>
  /**
   * Waits while a person has control of the browser; true if a person has taken it since the last call. Agents call it
   * before they look at the page, and before each action, because the person may have changed the page in between.
   */
  readonly untilFree: Effect.Effect<boolean>
  /** Stores that the step that began last is over, and why it failed; null if it worked. */
  readonly stepEnded: (failure: string | null, details?: StepDetails) => Effect.Effect<void, LeaseLost>
  /**
   * Reports the usage of the whole turn so far, and the model call that it grew by, which gets a row of its own. Both
   * count even if the turn has been cancelled in the meantime.
   */
  readonly used: (usage: Usage, call?: ModelCallReport) => Effect.Effect<void, LeaseLost>
  /**
   * Stores the state that the turn needs after a restart: one that `resumes` continues from it, or later turns read it.
   */
  readonly checkpoint: (state: Turn["checkpoint"]) => Effect.Effect<void, LeaseLost>
}

/** The turn was cancelled in the meantime. Its agent must stop. */
export class TurnOver extends Data.TaggedError("TurnOver")<{ readonly turnId: string }> {}

/** A turn that an agent performs under a lease of this node. It may continue for a while after its turn is terminal. */
export interface Execution {
  readonly sessionId: string
  /** The token of the lease. */
  readonly token: number
  readonly turn: Turn
  /** Starts the agent. Called once. */
  readonly begin: () => void
  /** Asks the agent to stop, which may take a while. Only the session's next turn waits for it. */
  readonly interrupt: (reason: CancelReason) => void
  /** Stops the agent at once. The engine ignores its reports from now on. */
  readonly abort: () => void
  /** Stops the agent at once and waits until it is gone. */
  readonly end: () => Effect.Effect<void>
  /** Receives the turn when one of its questions was asked or its wait is over, on this node or another one. */
  readonly changed?: (turn: Turn) => void
  /** Usage of the turn at a time, if the agent reports it only at its end. */
  readonly used: (at_ms: number) => Usage | undefined
}

/** Receives the reports of agents and commits them. */
export interface Reports {
  /**
   * Moves the turn and returns it; undefined if the engine ignores this agent from now on. With `leaves`, the agent is
   * gone with the event that finishes the turn.
   */
  readonly onEvent: (
    execution: Execution,
    event: TurnEvent,
    leaves: boolean
  ) => Effect.Effect<Turn | undefined, TurnOver>
  /**
   * Stores the progress of a running turn: its usage, steps or model calls. Returns the stored records; undefined if the
   * engine ignores this agent from now on.
   */
  readonly onProgress: (execution: Execution, progress: Progress) => Effect.Effect<Decision | undefined, TurnOver>
  /** The agent is gone. Its turn ends with `ending` if it is not terminal. */
  readonly onEnd: (execution: Execution, ending: TurnEvent) => Effect.Effect<void>
  /** The agent is gone because of a bug, which fails its turn. */
  readonly onCrash: (execution: Execution, defect: unknown) => Effect.Effect<void>
  /** Makes the input of an agent that works in a browser. */
  readonly attempt: (execution: Execution, cancelled: Attempt["cancelled"]) => Effect.Effect<Attempt>
}

/**
 * The port to agents. An agent performs one turn of a session at a time and stores nothing. Events that the turn's state
 * machine refuses fail the turn. Most agents are made by `makeStreamingAgent`.
 */
export class Agent extends Context.Service<
  Agent,
  AgentIdentity & {
    /**
     * Returns a function that prepares the execution of a turn: one that is `dispatching` since `dispatchedAt_ms`, or,
     * after a restart or the restore of a snapshot, `running` since `startedAt_ms`; the agent then continues with the
     * rest of it. Called once by each engine, whose scope it is.
     */
    readonly serve: (reports: Reports) => Effect.Effect<(turn: Turn, token: number) => Execution, never, Scope.Scope>
  }
>()("@webagent/engine/Agent") {}
