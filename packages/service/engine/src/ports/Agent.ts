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

/** What an agent says of itself. */
export interface AgentIdentity {
  /** The language model, as v2 shows it. */
  readonly model: string
  /** The version of the agent, as v2 shows it. */
  readonly version: string
  /** What a new session is asked to do, where that is not what the service description says. */
  readonly settings?: (sessionId: string) => Partial<SessionSettings>
  /** Whether a running turn of a lost node goes on here from its checkpoint. Without it, such a turn fails. */
  readonly resumes?: (turn: Turn) => boolean
}

/** A connection to the browser of a session. */
export interface SessionBrowser extends CdpTransport {
  /** Whether it was launched just now: of a session that had one, that one has ended, with all that was in it. */
  readonly isNew: boolean
}

/** A step that an agent begins. */
export interface SeenStep extends Omit<Step, "picture"> {
  /** A JPEG of what it saw, if there is one. */
  readonly picture: Uint8Array | null
  /** What is to be known of the turn from now on, as `checkpoint` stores it. */
  readonly checkpoint?: Turn["checkpoint"]
}

/** What an agent that performs a turn is given, and tells. */
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
  /** What the turn may use; the agent ends it before it uses more. */
  readonly budget: Budget | null
  /** Waits until the agent is asked to let go; it is interrupted after `grace_ms`. */
  readonly cancelled: Effect.Effect<CancelReason>
  /** Stores that a step begins: before whatever costs, so that after a crash it is known to have begun. */
  readonly step: (step: SeenStep) => Effect.Effect<void, LeaseLost>
  /** Stores that the step that began last is over, and why it failed; null where it worked. */
  readonly stepEnded: (failure: string | null) => Effect.Effect<void, LeaseLost>
  /** What the whole turn has used so far. It counts also when the turn is cancelled by now. */
  readonly used: (usage: Usage) => Effect.Effect<void, LeaseLost>
  /** What is to be known of the turn after a restart: where one that `resumes` goes on, or what later turns ask. */
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
  /** How long an agent that is asked to let go is waited for before it is interrupted; 0 unless given. */
  readonly grace_ms?: number
}

/** What happens to a turn next, and when. */
export interface ScheduledEvent {
  /** By the clock, in milliseconds since 1970; what is past happens at once. */
  readonly at_ms: number
  readonly event: () => TurnEvent
}

/** What is known of turns beforehand. One value serves all turns that begin under the same conditions. */
export interface TurnSchedule {
  /** What happens next to a turn that is dispatching (`Started`) or running (one of the events that end it). */
  readonly next: (turn: Turn) => ScheduledEvent
  /** How long the agent takes to let go of the turn when it is cancelled, in milliseconds. */
  readonly stopDelay_ms: (turn: Turn) => number
  /** What a turn has used by then, that runs or is cancelled; nothing unless given. */
  readonly used?: (turn: Turn, at_ms: number) => Usage
  /** How often what a turn that runs has used is stored, so that a crash loses no more; never unless given. */
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
