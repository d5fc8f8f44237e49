import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Agent, AgentError, TurnSchedule, StreamingAgent } from "./ports/Agent.ts"
import type { InvalidTransition } from "./domain/InvalidTransition.ts"
import type { Timer } from "./TimerHeap.ts"
import * as Turn from "./domain/Turn.ts"
import * as TimerQueue from "./TimerQueue.ts"

/** An agent at work on a turn, in a fiber of its own. */
interface StreamingExecution {
  fiber: Fiber.Fiber<void> | undefined
}

/** An agent at work on a turn whose course is known beforehand. Small: there may be a hundred thousand. */
interface ScheduledExecution extends Timer {
  at: number
  /** Whether what comes next is that the agent is gone. */
  leaving: boolean
  turn: Turn.Turn
  readonly schedule: TurnSchedule
}

/** An agent at work. It may go on for a while after its turn is terminal. */
export type Execution = StreamingExecution | ScheduledExecution

/** Who is told what agents say. */
interface TurnListener {
  /** The turn moves; `undefined` when this agent has nothing to say any more. */
  readonly onEvent: (
    execution: Execution,
    turn: Turn.Turn,
    event: Turn.TurnEvent
  ) => Effect.Effect<Turn.Turn | undefined, InvalidTransition>
  /** The agent is done with the turn, however that came about. */
  readonly onEnd: (execution: Execution, turn: Turn.Turn, ending: Turn.TurnEvent) => Effect.Effect<void>
}

const isScheduled = (execution: Execution): execution is ScheduledExecution => "schedule" in execution

/** Gives turns to the agent. */
export const make = Effect.fnUntraced(function* (agent: Agent["Service"], listener: TurnListener) {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())

  /** What is expected of the turn next, or that the agent lets go of it. */
  const expect = (execution: ScheduledExecution) => {
    execution.at = timers.after(
      execution.leaving
        ? execution.schedule.stopDelay_ms(execution.turn)
        : Math.max(0, execution.schedule.next(execution.turn).at_ms - clock.currentTimeMillisUnsafe())
    )
    timers.add(execution)
  }

  const due = (execution: ScheduledExecution): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (execution.leaving) return listener.onEnd(execution, execution.turn, cancelled)
      return Effect.flatMap(
        listener.onEvent(execution, execution.turn, execution.schedule.next(execution.turn).event()),
        (moved) => {
          if (moved === undefined) return Effect.void
          execution.turn = moved
          if (Turn.isTerminal(moved.status)) return listener.onEnd(execution, moved, silent)
          return Effect.sync(() => expect(execution))
        }
      )
    }).pipe(
      Effect.catch((refused) => {
        if (!Turn.isTerminal(refused.from)) return Effect.die(refusal(refused))
        // it was cancelled at this very moment
        execution.leaving = true
        return Effect.sync(() => expect(execution))
      }),
      Effect.catchDefect((defect) =>
        Effect.andThen(died(execution.turn, defect), listener.onEnd(execution, execution.turn, failed(defect)))
      )
    )

  const perform = (performing: StreamingAgent, execution: Execution, turn: Turn.Turn): Effect.Effect<void> =>
    performing.perform(turn).pipe(
      Stream.runForEach((event) =>
        Effect.catchTag(listener.onEvent(execution, turn, event), "InvalidTransition", (refused) =>
          Turn.isTerminal(refused.from) ? Effect.void : Effect.die(refusal(refused))
        )
      ),
      Effect.tapDefect((defect) => died(turn, defect)),
      Effect.onExit((exit) => listener.onEnd(execution, turn, endingOf(exit))),
      Effect.ignoreCause
    )

  const timers = yield* TimerQueue.make((execution: ScheduledExecution) => void fork(due(execution)))

  /** Lets an agent begin, after `onStart` knows it. */
  const begin = (turn: Turn.Turn, onStart: (execution: Execution) => void): void => {
    if ("perform" in agent) {
      const execution: StreamingExecution = { fiber: undefined }
      onStart(execution)
      execution.fiber = fork(perform(agent, execution, turn))
      return
    }
    const execution: ScheduledExecution = {
      at: 0,
      ordinal: 0,
      place: -1,
      leaving: false,
      turn,
      schedule: agent.schedule(turn)
    }
    onStart(execution)
    expect(execution)
  }

  /** Interrupts the agent, which may take a while to end. Only the session's next turn waits for it. */
  const interrupt = (execution: Execution | null): void => {
    if (execution === null) return
    if (!isScheduled(execution)) return execution.fiber?.interruptUnsafe()
    if (execution.leaving) return
    execution.leaving = true
    // what is said right now is heard first
    if (execution.place < 0) return
    timers.remove(execution)
    expect(execution)
  }

  /** Interrupts these agents at once, and waits for the end of all. */
  const end = (executions: ReadonlyArray<Execution>): Effect.Effect<void> =>
    Effect.forEach(
      executions,
      (execution) => {
        if (!isScheduled(execution))
          return execution.fiber === undefined ? Effect.void : Fiber.interrupt(execution.fiber)
        timers.remove(execution)
        return listener.onEnd(execution, execution.turn, cancelled)
      },
      { concurrency: "unbounded", discard: true }
    )

  return { begin, interrupt, end }
})

const cancelled: Turn.TurnEvent = { _tag: "Cancelled" }

const silent: Turn.TurnEvent = { _tag: "Failed", error: "The agent stopped without reporting a result." }

const failed = (error: unknown): Turn.TurnEvent => ({
  _tag: "Failed",
  error: error instanceof Error ? error.message : String(error)
})

/** What an agent's end makes of a turn that has had no terminal event. */
const endingOf = (exit: Exit.Exit<void, AgentError>): Turn.TurnEvent => {
  if (Exit.isSuccess(exit)) return silent
  return Cause.hasInterruptsOnly(exit.cause) ? cancelled : failed(Cause.squash(exit.cause))
}

const refusal = (refused: InvalidTransition): string =>
  `The agent reported ${refused.event} while the turn was ${refused.from}.`

const died = (turn: Turn.Turn, defect: unknown) => Effect.logError(`The agent crashed in turn ${turn.id}`, defect)
