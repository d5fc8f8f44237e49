import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Agent, AgentError, type Attempt, type StreamingAgent, type TurnSchedule } from "./ports/Agent.ts"
import { LaunchFailed } from "./ports/BrowserPool.ts"
import type { InvalidTransition } from "./domain/InvalidTransition.ts"
import type { Timer } from "./TimerHeap.ts"
import * as Turn from "./domain/Turn.ts"
import * as TimerQueue from "./TimerQueue.ts"

/** A turn under a lease of this node. */
interface Held {
  readonly sessionId: string
  readonly token: number
  turn: Turn.Turn
}

/** An agent at work on a turn, in a fiber of its own. */
interface StreamingExecution extends Held {
  fiber: Fiber.Fiber<void> | undefined
  /** The agent must stop, although its fiber may not be known yet. */
  over: boolean
  readonly cancelled: Deferred.Deferred<Turn.CancelReason>
}

/** An agent whose events are scheduled beforehand. Keep it small: there may be 100,000. */
interface ScheduledExecution extends Held, Timer {
  at: number
  /** True if the next event is that the agent has stopped. */
  leaving: boolean
  /** True if the next event is a report of the turn's usage so far. */
  counting: boolean
  readonly schedule: TurnSchedule
}

/** An agent at work. It may go on for a while after its turn is terminal. */
export type Execution = StreamingExecution | ScheduledExecution

/** Receives what agents say. */
interface TurnListener {
  /** The turn moves, and the agent is gone with its end if it `leaves`; `undefined` when it has nothing to say any more. */
  readonly onEvent: (
    execution: Execution,
    event: Turn.TurnEvent,
    leaves: boolean
  ) => Effect.Effect<Turn.Turn | undefined, InvalidTransition>
  /** The turn, which goes on, has used this much; `undefined` when its agent has nothing to say any more. */
  readonly onUsed: (execution: Execution, usage: Turn.Usage) => Effect.Effect<Turn.Turn | undefined, InvalidTransition>
  /** The agent is done with the turn, however that came about. */
  readonly onEnd: (execution: Execution, ending: Turn.TurnEvent) => Effect.Effect<void>
  /** Builds the input of an agent in a fiber. */
  readonly attempt: (execution: Execution, cancelled: Attempt["cancelled"]) => Effect.Effect<Attempt>
}

const isScheduled = (execution: Execution): execution is ScheduledExecution => "schedule" in execution

/** Gives turns to the agent. */
export const make = Effect.fnUntraced(function* (agent: Agent["Service"], listener: TurnListener) {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())

  /** The timer of the turn's next event, or of the agent's end. */
  const expect = (execution: ScheduledExecution) => {
    const { schedule, turn } = execution
    const wait_ms = execution.leaving
      ? schedule.stopDelay_ms(turn)
      : Math.max(0, schedule.next(turn).at_ms - clock.currentTimeMillisUnsafe())
    const counted_ms = turn.status === "running" ? (schedule.usedEvery_ms?.(turn) ?? wait_ms) : wait_ms
    execution.counting = !execution.leaving && counted_ms < wait_ms
    execution.at = timers.after(execution.counting ? counted_ms : wait_ms)
    timers.add(execution)
  }

  const due = (execution: ScheduledExecution): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (execution.leaving) return listener.onEnd(execution, cancelled)
      if (execution.counting) {
        const usage = used(execution, clock.currentTimeMillisUnsafe()) ?? {}
        return Effect.map(listener.onUsed(execution, usage), (turn) => {
          if (turn === undefined) return
          execution.turn = turn
          // the turn was cancelled at the same moment
          execution.leaving ||= Turn.isTerminal(turn.status)
          expect(execution)
        })
      }
      const event = execution.schedule.next(execution.turn).event()
      return Effect.map(listener.onEvent(execution, event, true), (moved) => {
        if (moved === undefined) return
        execution.turn = moved
        if (!Turn.isTerminal(moved.status)) expect(execution)
      })
    }).pipe(
      Effect.catch((refused) => {
        if (!Turn.isTerminal(refused.from)) return Effect.die(refusal(refused))
        // the turn was cancelled at the same moment
        execution.leaving = true
        return Effect.sync(() => expect(execution))
      }),
      Effect.catchDefect((defect) =>
        Effect.andThen(died(execution.turn, defect), listener.onEnd(execution, failed(defect)))
      )
    )

  const perform = (performing: StreamingAgent, execution: StreamingExecution): Effect.Effect<void> =>
    Effect.flatMap(listener.attempt(execution, Deferred.await(execution.cancelled)), (attempt) =>
      performing.perform(execution.turn, attempt).pipe(
        // an agent does nothing more after the event that ends its turn
        Stream.takeUntil(endsTurn),
        Stream.runForEach((event) =>
          Effect.catchTag(listener.onEvent(execution, event, false), "InvalidTransition", (refused) =>
            Turn.isTerminal(refused.from) ? Effect.void : Effect.die(refusal(refused))
          )
        )
      )
    ).pipe(
      Effect.tapDefect((defect) => died(execution.turn, defect)),
      Effect.onExit((exit) => listener.onEnd(execution, endingOf(exit))),
      Effect.ignoreCause
    )

  const timers = yield* TimerQueue.make((execution: ScheduledExecution) => void fork(due(execution)))

  /** Lets an agent begin, after `onStart` knows it. */
  const begin = (turn: Turn.Turn, token: number, onStart: (execution: Execution) => void): void => {
    const held: Held = { sessionId: turn.sessionId, token, turn }
    if ("perform" in agent) {
      const execution: StreamingExecution = { ...held, fiber: undefined, over: false, cancelled: Deferred.makeUnsafe() }
      onStart(execution)
      execution.fiber = fork(perform(agent, execution))
      if (execution.over) execution.fiber.interruptUnsafe()
      return
    }
    const execution: ScheduledExecution = {
      ...held,
      at: 0,
      ordinal: 0,
      place: -1,
      leaving: false,
      counting: false,
      schedule: agent.schedule(turn)
    }
    onStart(execution)
    expect(execution)
  }

  /** Ends an agent at once. The engine ignores what it still does. */
  const abort = (execution: Execution): void => {
    if (isScheduled(execution)) return timers.remove(execution)
    execution.over = true
    execution.fiber?.interruptUnsafe()
  }

  /** Asks an agent in a fiber to let go, and interrupts it when its time for that is over. */
  const letGo = (execution: StreamingExecution, reason: Turn.CancelReason): void => {
    if (!Deferred.doneUnsafe(execution.cancelled, Effect.succeed(reason))) return
    const grace_ms = "perform" in agent ? (agent.grace_ms ?? 0) : 0
    if (grace_ms === 0) return abort(execution)
    fork(
      Effect.andThen(
        Effect.sleep(grace_ms),
        Effect.sync(() => abort(execution))
      )
    )
  }

  /** Has the agent end, which may take a while. Only the session's next turn waits for it. */
  const interrupt = (execution: Execution | undefined, reason: Turn.CancelReason): void => {
    if (execution === undefined) return
    if (!isScheduled(execution)) return letGo(execution, reason)
    if (execution.leaving) return
    execution.leaving = true
    // handle what the agent says now first
    if (execution.place < 0) return
    timers.remove(execution)
    expect(execution)
  }

  /** Ends these agents at once, and waits for the end of all. */
  const end = (executions: ReadonlyArray<Execution>): Effect.Effect<void> =>
    Effect.forEach(
      executions,
      (execution) => {
        if (!isScheduled(execution))
          return execution.fiber === undefined ? Effect.void : Fiber.interrupt(execution.fiber)
        return Effect.sync(() => timers.remove(execution))
      },
      { concurrency: "unbounded", discard: true }
    )

  return { begin, interrupt, abort, end }
})

/** The usage of a turn whose agent has ended. */
export const used = (execution: Execution, at_ms: number): Turn.Usage | undefined =>
  isScheduled(execution) ? execution.schedule.used?.(execution.turn, at_ms) : undefined

const endsTurn = ({ _tag }: Turn.TurnEvent): boolean =>
  _tag === "Completed" || _tag === "Failed" || _tag === "Cancelled"

const cancelled: Turn.TurnEvent = { _tag: "Cancelled" }

const silent: Turn.TurnEvent = {
  _tag: "Failed",
  error: "The agent stopped without reporting a result.",
  failure: "agent_crashed"
}

const failureOf = (error: unknown): Turn.Failure => {
  if (error instanceof AgentError) return error.failure ?? "agent"
  if (error instanceof LaunchFailed) return error.reason === "full" ? "no_browser" : "browser_failed"
  return "agent_crashed"
}

const failed = (error: unknown): Turn.TurnEvent => ({
  _tag: "Failed",
  error: error instanceof Error ? error.message : String(error),
  failure: failureOf(error)
})

/** Event of a turn whose agent exits without a terminal event. */
const endingOf = (exit: Exit.Exit<void, Error>): Turn.TurnEvent => {
  if (Exit.isSuccess(exit)) return silent
  return Cause.hasInterruptsOnly(exit.cause) ? cancelled : failed(Cause.squash(exit.cause))
}

const refusal = (refused: InvalidTransition): string =>
  `The agent reported ${refused.event} while the turn was ${refused.from}.`

const died = (turn: Turn.Turn, defect: unknown) => Effect.logError(`The agent crashed in turn ${turn.id}`, defect)
