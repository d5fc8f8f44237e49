import { type Agent, type AgentIdentity, type Decide, type Execution, type Reports, Turn } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Timer } from "../time/TimerHeap.ts"
import * as TimerQueue from "../time/TimerQueue.ts"
import * as HeldBrowsers from "./HeldBrowsers.ts"

/** Next event of a turn, and its time. */
export interface ScheduledEvent {
  /** By the clock, in milliseconds since 1970; an event in the past happens at once. */
  readonly at_ms: number
  readonly event: () => Turn.TurnEvent
}

/** Next report of a turn's steps, and its time. */
export interface ScheduledProgress {
  /** By the clock, in milliseconds since 1970; a report in the past happens at once. */
  readonly at_ms: number
  /** `open` is the stored step that the report ends; it's missing after the restore of a snapshot. */
  readonly progress: (open: Turn.TurnStep | undefined) => Decide.Progress
}

/** Schedule of turns, fixed in advance. One value serves all turns that start under the same conditions. */
export interface TurnSchedule {
  /** Next event of a turn that is dispatching (`Started`) or running (one of the events that finish it). */
  readonly next: (turn: Turn.Turn) => ScheduledEvent
  /** Next report of the steps of a running turn; undefined after the last one. A turn has no steps by default. */
  readonly progress?: (turn: Turn.Turn) => ScheduledProgress | undefined
  /** Next question of a running turn to a person, and its time; a turn asks no person by default. */
  readonly ask?: (turn: Turn.Turn) => ScheduledProgress | undefined
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
  /** True if each turn has the browser of its session, and waits for it. A turn that waits has a fiber. */
  readonly usesBrowsers?: boolean
}

/** The timers of one engine's turns. */
interface Timetable {
  /** Sets the timer of the turn's next event, or of the agent's end. */
  readonly expect: (execution: ScheduledExecution) => void
  readonly remove: (execution: ScheduledExecution) => void
  /** The browsers of turns that use some. */
  readonly browsers: HeldBrowsers.HeldBrowsers<ScheduledExecution> | undefined
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
  /** Kind of the next event; an interrupt goes before it. */
  due: "event" | "progress" | "question" | "usage" = "event"
  /** The turn as a person's answer or question left it, if that came after the report that is being stored. */
  news: Turn.Turn | undefined = undefined
  /** The step that was stored last. */
  step: Turn.TurnStep | undefined = undefined

  constructor(turn: Turn.Turn, token: number, schedule: TurnSchedule, timetable: Timetable) {
    this.sessionId = turn.sessionId
    this.token = token
    this.turn = turn
    this.schedule = schedule
    this.timetable = timetable
  }

  begin() {
    const { browsers, expect } = this.timetable
    if (browsers === undefined) expect(this)
    else browsers.hold(this)
  }

  interrupt() {
    if (this.leaving) return
    this.leaving = true
    // an event that is being reported comes first
    if (this.timetable.browsers?.leave(this) === true || this.place < 0) return
    this.timetable.remove(this)
    this.timetable.expect(this)
  }

  changed(turn: Turn.Turn) {
    this.news = turn
    // a report that is being stored sets the next timer
    if (this.leaving || this.place < 0) return
    this.turn = turn
    this.timetable.remove(this)
    this.timetable.expect(this)
  }

  abort() {
    this.timetable.remove(this)
    this.timetable.browsers?.abort(this)
  }

  end() {
    return Effect.suspend(() => {
      this.abort()
      return this.release()
    })
  }

  /** Releases its browser, if it uses one. */
  release(): Effect.Effect<void> {
    return this.timetable.browsers?.release(this) ?? Effect.void
  }

  used(at_ms: number) {
    return this.schedule.used?.(this.turn, at_ms)
  }
}

/** Sets what the timer of a turn is for, and returns the time until then in milliseconds. */
const prepare = (execution: ScheduledExecution, now_ms: number): number => {
  const { leaving, schedule, turn } = execution
  execution.due = "event"
  if (leaving) return schedule.stopDelay_ms(turn)
  const question = Turn.waitingFor(turn)
  if (question !== null || Turn.isHandedOver(turn)) {
    execution.due = "question"
    return question === null ? 0 : Math.max(0, question.until_ms - now_ms)
  }
  const event_ms = schedule.next(turn).at_ms
  if (turn.status !== "running") return Math.max(0, event_ms - now_ms)
  const progress_ms = schedule.progress?.(turn)?.at_ms ?? Number.POSITIVE_INFINITY
  const ask_ms = schedule.ask?.(turn)?.at_ms ?? Number.POSITIVE_INFINITY
  if (progress_ms <= event_ms) execution.due = "progress"
  if (ask_ms < Math.min(progress_ms, event_ms)) execution.due = "question"
  const wait_ms = Math.max(0, Math.min(progress_ms, event_ms, ask_ms) - now_ms)
  const usage_ms = schedule.usedEvery_ms?.(turn) ?? wait_ms
  if (usage_ms >= wait_ms) return wait_ms
  execution.due = "usage"
  return usage_ms
}

/** The report of a turn that is due: about its questions, its steps or its usage. */
const progressOf = (execution: ScheduledExecution, now_ms: number): Decide.Progress => {
  const { due, schedule, step, turn } = execution
  if (due === "usage") return { used: execution.used(now_ms) ?? {} }
  if (due === "progress") return schedule.progress?.(turn)?.progress(step) ?? {}
  const question = Turn.waitingFor(turn)
  if (question !== null) return { unanswered: { id: question.id, kind: "expired", by: null } }
  return Turn.isHandedOver(turn) ? { goesOn: true } : (schedule.ask?.(turn)?.progress(step) ?? {})
}

/** Carries out the event for which the timer of a turn was set, and sets the next timer. */
const carryOut = (
  execution: ScheduledExecution,
  { onCrash, onEnd, onEvent, onProgress }: Reports,
  now_ms: () => number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { timetable } = execution
    /** An interrupt during a report that isn't stored has set no timer. Without one, the agent would never give its lease back. */
    const leave = () => {
      if (execution.leaving) timetable.expect(execution)
    }
    if (execution.leaving) return Effect.andThen(execution.release(), onEnd(execution, { _tag: "Cancelled" }))
    execution.news = undefined
    if (execution.due !== "event") {
      return Effect.map(onProgress(execution, progressOf(execution, now_ms())), (decision) => {
        if (decision === undefined) return leave()
        execution.turn = execution.news ?? decision.turn ?? execution.turn
        execution.step = decision.turnSteps.at(-1) ?? execution.step
        // the turn was cancelled at the same moment
        execution.leaving ||= Turn.isTerminal(execution.turn.status)
        timetable.expect(execution)
      })
    }
    const event = execution.schedule.next(execution.turn).event()
    // the session's next turn may use its browser as soon as this one is over
    const released = event._tag === "Started" ? Effect.void : execution.release()
    return Effect.map(Effect.andThen(released, onEvent(execution, event, true)), (turn) => {
      if (turn === undefined) return leave()
      const isOver = Turn.isTerminal(turn.status)
      // a request may have asked since the turn began
      execution.turn = isOver ? turn : (execution.news ?? turn)
      if (!isOver) timetable.expect(execution)
    })
  }).pipe(
    Effect.catch(() => {
      execution.leaving = true
      return Effect.sync(() => execution.timetable.expect(execution))
    }),
    Effect.catchDefect((defect) => Effect.andThen(execution.release(), onCrash(execution, defect)))
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
    const expect = (execution: ScheduledExecution) => {
      execution.at = timers.after(prepare(execution, now_ms()))
      timers.add(execution)
    }
    const begin = (execution: ScheduledExecution) => {
      execution.turn = execution.news ?? execution.turn
      expect(execution)
    }
    const browsers = agent.usesBrowsers === true ? yield* HeldBrowsers.make(reports, begin) : undefined
    const timetable: Timetable = { expect, remove: timers.remove, browsers }
    return (turn: Turn.Turn, token: number) => new ScheduledExecution(turn, token, agent.schedule(turn), timetable)
  })
})
