import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Stream from "effect/Stream"
import type { SessionSettings } from "../domain/Session.ts"
import type { Turn, TurnEvent } from "../domain/Turn.ts"

/** The agent broke down: its turn fails with this sentence. */
export class AgentError extends Data.TaggedError("AgentError")<{ readonly message: string }> {}

/** What an agent says of itself. */
export interface AgentIdentity {
  /** The language model, as v2 shows it. */
  readonly model: string
  /** The version of the agent, as v2 shows it. */
  readonly version: string
  /** What a new session is asked to do, where that is not what the service description says. */
  readonly settings?: (sessionId: string) => Partial<SessionSettings>
}

/**
 * An agent that carries out a task and says what happens. Its stream starts with `Started`, ends with one of
 * `Completed`, `Failed` or `Cancelled`, and is interrupted when the engine cancels the turn: it may then take a
 * while to let go, and the session's next turn waits for it.
 *
 * A turn is `dispatching`, since `dispatchedAt_ms`, or, after the restore of a snapshot, `running` since
 * `startedAt_ms`: the agent then goes on with what is left of it, and its stream starts without `Started`. It may
 * be asked for a turn that was `dispatching` for a while, too.
 */
export interface StreamingAgent extends AgentIdentity {
  readonly perform: (turn: Turn) => Stream.Stream<TurnEvent, AgentError>
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
}

/**
 * An agent that does nothing but wait, and knows what for. A turn of it is an entry in a timers and no fiber, so
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
