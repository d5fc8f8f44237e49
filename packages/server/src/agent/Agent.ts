import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { SessionSettings } from "../domain/Session.ts"
import type { Turn, TurnEvent } from "../domain/Turn.ts"

/** The agent broke down: its turn fails with this sentence. */
export class AgentError extends Data.TaggedError("AgentError")<{ readonly message: string }> {}

/**
 * The port to whatever carries out a task. An agent performs one turn and says what happens; it stores nothing.
 * Its stream starts with `Started`, ends with one of `Completed`, `Failed` or `Cancelled`, and is interrupted
 * when the engine cancels the turn: it may then take a while to let go, and the session's next turn waits for it.
 * Events that the turn's state machine refuses fail the turn.
 *
 * A turn is `dispatching`, since `dispatchedAt_ms`, or, after the restore of a snapshot, `running` since
 * `startedAt_ms`: the agent then goes on with what is left of it, and its stream starts without `Started`. It may
 * be asked for a turn that was `dispatching` for a while, too.
 */
export class Agent extends Context.Service<
  Agent,
  {
    /** The language model, as v2 shows it. */
    readonly model: string
    /** The version of the agent, as v2 shows it. */
    readonly version: string
    readonly perform: (turn: Turn) => Stream.Stream<TurnEvent, AgentError>
    /** What a new session is asked to do, where that is not what the service description says. */
    readonly settings?: (sessionId: string) => Partial<SessionSettings>
    /** Every turn that was begun is let go of at once when it is cancelled: the engine closes. */
    readonly abandon?: Effect.Effect<void>
  }
>()("@webagent/server/Agent") {}
