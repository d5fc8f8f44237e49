import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Turn from "./domain/Turn.ts"
import {
  Agent,
  AgentError,
  type AgentIdentity,
  type Attempt,
  type Execution,
  LeaseLost,
  type Reports
} from "./ports/Agent.ts"
import type { LaunchFailed } from "./ports/BrowserPool.ts"

/**
 * An agent whose events are a stream. The stream starts with `Started`, ends with one of `Completed`, `Failed` or
 * `Cancelled`, and is interrupted when the engine cancels the turn: it may then take a while to stop, and the session's
 * next turn waits for it. The stream of a turn that is `running` already starts without `Started`.
 */
export interface StreamingAgent extends AgentIdentity {
  readonly perform: (
    turn: Turn.Turn,
    attempt: Attempt
  ) => Stream.Stream<Turn.TurnEvent, AgentError | LeaseLost | LaunchFailed>
  /** Time to wait for a cancelled agent to release its turn before it is interrupted; 0 by default. */
  readonly grace_ms?: number
}

const endsTurn = ({ _tag }: Turn.TurnEvent): boolean =>
  _tag === "Completed" || _tag === "Failed" || _tag === "Cancelled"

const silent: Turn.TurnEvent = {
  _tag: "Failed",
  error: "The agent stopped without reporting a result.",
  failure: "agent_crashed"
}

const failureOf = (error: AgentError | LaunchFailed): Turn.Failure => {
  if (error instanceof AgentError) return error.failure ?? "agent"
  return error.reason === "full" ? "no_browser" : "browser_failed"
}

/** Returns the end of a turn whose agent failed. */
export const failed = (error: AgentError | LaunchFailed): Turn.TurnEvent => ({
  _tag: "Failed",
  error: error.message,
  failure: failureOf(error)
})

/** Reports the end of an agent whose stream ended without a terminal event. */
const reportEnd = (
  reports: Reports,
  execution: Execution,
  exit: Exit.Exit<void, AgentError | LeaseLost | LaunchFailed>
): Effect.Effect<void> => {
  if (Exit.isSuccess(exit)) return reports.onEnd(execution, silent)
  if (Cause.hasInterruptsOnly(exit.cause)) return reports.onEnd(execution, { _tag: "Cancelled" })
  const failure = Cause.findError(exit.cause)
  if (Result.isFailure(failure)) return reports.onCrash(execution, Cause.squash(exit.cause))
  const error = failure.success
  // the engine ignores the end of an agent whose session another node has
  if (error instanceof LeaseLost) return reports.onEnd(execution, silent)
  return reports.onEnd(execution, failed(error))
}

/** Makes an agent of streams. Each of its turns runs in its own fiber. */
export const makeStreamingAgent = (agent: StreamingAgent): Agent["Service"] => ({
  ...agent,
  serve: (reports) =>
    Effect.map(Effect.context<never>(), (context) => {
      const fork = Effect.runForkWith(context)

      const perform = (execution: Execution, cancelled: Attempt["cancelled"]): Effect.Effect<void> =>
        Effect.flatMap(reports.attempt(execution, cancelled), (attempt) =>
          agent.perform(execution.turn, attempt).pipe(
            // an agent does nothing more after the event that ends its turn
            Stream.takeUntil(endsTurn),
            Stream.runForEach((event) => Effect.ignore(reports.onEvent(execution, event, false)))
          )
        ).pipe(
          Effect.onExit((exit) => reportEnd(reports, execution, exit)),
          Effect.ignoreCause
        )

      return (turn, token): Execution => {
        const cancelled = Deferred.makeUnsafe<Turn.CancelReason>()
        let fiber: Fiber.Fiber<void> | undefined
        let isAborted = false
        const abort = () => {
          isAborted = true
          fiber?.interruptUnsafe()
        }
        const execution: Execution = {
          sessionId: turn.sessionId,
          token,
          turn,
          begin: () => {
            fiber = fork(perform(execution, Deferred.await(cancelled)))
            if (isAborted) fiber.interruptUnsafe()
          },
          interrupt: (reason) => {
            if (!Deferred.doneUnsafe(cancelled, Effect.succeed(reason))) return
            if (agent.grace_ms === undefined) return abort()
            fork(Effect.andThen(Effect.sleep(agent.grace_ms), Effect.sync(abort)))
          },
          abort,
          end: () => (fiber === undefined ? Effect.void : Fiber.interrupt(fiber)),
          used: () => undefined
        }
        return execution
      }
    })
})

/** Provides an agent of streams. */
export const layerStreamingAgent = (agent: StreamingAgent): Layer.Layer<Agent> =>
  Layer.succeed(Agent, makeStreamingAgent(agent))
