import { type Agent, type AgentIdentity, type Execution, type Reports, Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Timer } from "../time/TimerHeap.ts"
import * as TimerQueue from "../time/TimerQueue.ts"

/** Next event of a turn, and its time. */
export interface ScheduledEvent {
  /** By the clock, in milliseconds since 1970; an event in the past happens at once. */
  readonly at_ms: number
  readonly event: () => Turn.TurnEvent
}

/** Schedule of turns, fixed in advance. One value serves all turns that start under the same conditions. */
export interface TurnSchedule {
  /** Next event of a turn that is dispatching (`Started`) or running (one of the events that finish it). */
  readonly next: (turn: Turn.Turn) => ScheduledEvent
  /** Time that the agent takes to release a cancelled turn, in milliseconds. */
  readonly stopDelay_ms: (turn: Turn.Turn) => number
  /** Usage at a time, of a turn that is running or was cancelled; no usage by default. */
  readonly used?: (turn: Turn.Turn, at_ms: number) => Turn.Usage
  /** Interval for storing the usage of a running turn, so that a crash loses no more; never by default. */
  readonly usedEvery_ms?: (turn: Turn.Turn) => number
}

/**
 * An agent that only waits, for times that are known when a turn starts. A turn is an entry in a timer queue and no
 * fiber, so that an engine can run a hundred thousand at once.
 */
export interface ScheduledAgent extends AgentIdentity {
  /** Called when a turn begins, and after the restore of a snapshot. */
  readonly schedule: (turn: Turn.Turn) => TurnSchedule
}

/** The timers of one engine's turns. */
interface Timetable {
  /** Sets the timer of the turn's next event, or of the agent's end. */
  readonly expect: (execution: ScheduledExecution) => void
  readonly remove: (execution: ScheduledExecution) => void
}

/** Keep it small: there may be 100,000. */
class ScheduledExecution implements Execution, Timer {
  readonly sessionId: string
  readonly token: number
  turn: Turn.Turn
  readonly schedule: TurnSchedule
  readonly timetable: Timetable
  at = 0
  ordinal = 0
  place = -1
  /** True if the next event is that the agent has stopped. */
  leaving = false
  /** True if the next event is a report of the turn's usage so far. */
  counting = false

  constructor(turn: Turn.Turn, token: number, schedule: TurnSchedule, timetable: Timetable) {
    this.sessionId = turn.sessionId
    this.token = token
    this.turn = turn
    this.schedule = schedule
    this.timetable = timetable
  }

  begin() {
    this.timetable.expect(this)
  }

  interrupt() {
    if (this.leaving) return
    this.leaving = true
    // an event that is being reported comes first
    if (this.place < 0) return
    this.timetable.remove(this)
    this.timetable.expect(this)
  }

  abort() {
    this.timetable.remove(this)
  }

  end() {
    return Effect.sync(() => this.abort())
  }

  used(at_ms: number) {
    return this.schedule.used?.(this.turn, at_ms)
  }
}

/** Carries out the event for which the timer of a turn was set, and sets the next timer. */
const carryOut = (
  execution: ScheduledExecution,
  { onCrash, onEnd, onEvent, onUsed }: Reports,
  now_ms: () => number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { timetable } = execution
    if (execution.leaving) return onEnd(execution, { _tag: "Cancelled" })
    if (execution.counting) {
      return Effect.map(onUsed(execution, execution.used(now_ms()) ?? {}), (turn) => {
        if (turn === undefined) return
        execution.turn = turn
        // the turn was cancelled at the same moment
        execution.leaving ||= Turn.isTerminal(turn.status)
        timetable.expect(execution)
      })
    }
    const event = execution.schedule.next(execution.turn).event()
    return Effect.map(onEvent(execution, event, true), (turn) => {
      if (turn === undefined) return
      execution.turn = turn
      if (!Turn.isTerminal(turn.status)) timetable.expect(execution)
    })
  }).pipe(
    Effect.catch(() => {
      execution.leaving = true
      return Effect.sync(() => execution.timetable.expect(execution))
    }),
    Effect.catchDefect((defect) => onCrash(execution, defect))
  )

/** Makes an agent of schedules. */
export const make = (agent: ScheduledAgent): Agent["Service"] => ({
  ...agent,
  serve: Effect.fnUntraced(function* (reports: Reports) {
    const clock = yield* Clock.Clock
    const fork = Effect.runForkWith(yield* Effect.context())
    const now_ms = () => clock.currentTimeMillisUnsafe()
    const timers = yield* TimerQueue.make(
      (execution: ScheduledExecution) => void fork(carryOut(execution, reports, now_ms))
    )
    const timetable: Timetable = {
      expect: (execution) => {
        const { leaving, schedule, turn } = execution
        const wait_ms = leaving ? schedule.stopDelay_ms(turn) : Math.max(0, schedule.next(turn).at_ms - now_ms())
        const counted_ms = turn.status === "running" ? (schedule.usedEvery_ms?.(turn) ?? wait_ms) : wait_ms
        execution.counting = !leaving && counted_ms < wait_ms
        execution.at = timers.after(execution.counting ? counted_ms : wait_ms)
        timers.add(execution)
      },
      remove: timers.remove
    }
    return (turn: Turn.Turn, token: number) => new ScheduledExecution(turn, token, agent.schedule(turn), timetable)
  })
})
