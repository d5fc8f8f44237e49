import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Session, SessionSettings } from "../domain/Session.ts"
import type { Budget, CancelReason, Failure, Step, Turn, TurnEvent, Usage } from "../domain/Turn.ts"
import type { CdpTransport, LaunchFailed } from "./BrowserPool.ts"

/** The agent broke down: its turn fails with this sentence, and with this tag for the reason (default: `agent`). */
export class AgentError extends Data.TaggedError("AgentError")<{
  readonly message: string
  readonly failure?: Failure
}> {}

/** The turn is over, or another node has it. The agent must do nothing more that costs. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly turnId: string }> {}

/** Description of an agent. */
export interface AgentIdentity {
  /** The language model, as v2 shows it. */
  readonly model: string
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
}

/** A step that an agent begins. */
export interface SeenStep extends Omit<Step, "picture"> {
  /** A JPEG of what it saw, if there is one. */
  readonly picture: Uint8Array | null
  /** State of the turn to store from now on, as with `checkpoint`. */
  readonly checkpoint?: Turn["checkpoint"]
}

/** Input of an agent that performs a turn, and the functions with which it reports. */
export interface Attempt {
  readonly session: Session
  /** The turns of the session before this one, in the order in which they were created. */
  readonly earlier: Effect.Effect<ReadonlyArray<Turn>>
  /** A connection to the session's browser, which is launched at first use and stops with the session. */
  readonly browser: Effect.Effect<SessionBrowser, LaunchFailed, Scope.Scope>
  /**
   * Lets the session's browser connect to these domains only (`example.com`, `*.example.com`), now and when it is
   * launched later in this turn; null, as at the turn's start, for all.
   */
  readonly allowDomains: (domains: ReadonlyArray<string> | null) => Effect.Effect<void>
  /** Has viewers and the recording of the session's browser see the pictures of steps only, from now on: see `LiveViews`. */
  readonly conceal: Effect.Effect<void>
  /** Limits of the turn; the agent finishes it before it exceeds them. */
  readonly budget: Budget | null
  /** Waits until the agent is asked to let go; it is interrupted after `grace_ms`. */
  readonly cancelled: Effect.Effect<CancelReason>
  /** Stores that a step begins: before whatever costs, so that after a crash it is known to have begun. */
  readonly step: (step: SeenStep) => Effect.Effect<void, LeaseLost>
  /** Stores that the step that began last is over, and why it failed; null where it worked. */
  readonly stepEnded: (failure: string | null) => Effect.Effect<void, LeaseLost>
  /** Reports the usage of the whole turn so far. It counts even if the turn has been cancelled in the meantime. */
  readonly used: (usage: Usage) => Effect.Effect<void, LeaseLost>
  /**
   * Stores the state that the turn needs after a restart: one that `resumes` continues from it, or later turns read it.
   */
  readonly checkpoint: (state: Turn["checkpoint"]) => Effect.Effect<void, LeaseLost>
}

/**
 * An agent that carries out a task and says what happens. Its stream starts with `Started`, ends with one of
 * `Completed`, `Failed` or `Cancelled`, and is interrupted when the engine cancels the turn: it may then take a
 * while to let go, and the session's next turn waits for it.
 *
 * A turn is `dispatching`, since `dispatchedAt_ms`, or, after a restart or the restore of a snapshot, `running` since
 * `startedAt_ms`: the agent then goes on with what is left of it, and its stream starts without `Started`. It may
 * be asked for a turn that was `dispatching` for a while, too.
 */
export interface StreamingAgent extends AgentIdentity {
  readonly perform: (turn: Turn, attempt: Attempt) => Stream.Stream<TurnEvent, AgentError | LeaseLost | LaunchFailed>
  /** Time to wait for a cancelled agent to release its turn before it is interrupted; 0 by default. */
  readonly grace_ms?: number
}

/** Next event of a turn, and its time. */
export interface ScheduledEvent {
  /** By the clock, in milliseconds since 1970; what is past happens at once. */
  readonly at_ms: number
  readonly event: () => TurnEvent
}

/** Schedule of turns, fixed in advance. One value serves all turns that start under the same conditions. */
export interface TurnSchedule {
  /** Next event of a turn that is dispatching (`Started`) or running (one of the events that finish it). */
  readonly next: (turn: Turn) => ScheduledEvent
  /** Time that the agent takes to release a cancelled turn, in milliseconds. */
  readonly stopDelay_ms: (turn: Turn) => number
  /** Usage at a time, of a turn that is running or was cancelled; no usage by default. */
  readonly used?: (turn: Turn, at_ms: number) => Usage
  /** Interval for storing the usage of a running turn, so that a crash loses no more; never by default. */
  readonly usedEvery_ms?: (turn: Turn) => number
}

/**
 * An agent that does nothing but wait, and knows what for. A turn of it is an entry in a timer queue and no fiber, so
 * that a hundred thousand are as easily at work as one.
 */
export interface ScheduledAgent extends AgentIdentity {
  /** Asked when a turn begins, and after the restore of a snapshot. */
  readonly schedule: (turn: Turn) => TurnSchedule
}

/**
 * The port to whatever carries out a task. An agent performs one turn at a time of a session; it stores nothing.
 * Events that the turn's state machine refuses fail the turn.
 */
export class Agent extends Context.Service<Agent, StreamingAgent | ScheduledAgent>()("@webagent/engine/Agent") {}
