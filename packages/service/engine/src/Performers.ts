import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Agent, AgentError, Foresight, PerformingAgent } from "./ports/Agent.ts"
import type { RefusedMove } from "./domain/RefusedMove.ts"
import type { Sleeper } from "./Sleepers.ts"
import * as Turn from "./domain/Turn.ts"
import * as Timetable from "./Timetable.ts"

/** An agent at work on a turn, in a fiber of its own. */
interface Performance {
  fiber: Fiber.Fiber<void> | undefined
}

/** An agent at work on a turn of which all is known beforehand. Small: there may be a hundred thousand. */
interface Expectation extends Sleeper {
  at: number
  /** Whether what comes next is that the agent is gone. */
  leaving: boolean
  turn: Turn.Turn
  readonly foresight: Foresight
}

/** An agent at work. It may go on for a while after its turn is terminal. */
export type Work = Performance | Expectation

/** Who is told what agents say. */
export interface Audience {
  /** The turn moves; `undefined` when this agent has nothing to say any more. */
  readonly happened: (
    work: Work,
    turn: Turn.Turn,
    event: Turn.TurnEvent
  ) => Effect.Effect<Turn.Turn | undefined, RefusedMove>
  /** The agent is done with the turn, however that came about. */
  readonly ended: (work: Work, turn: Turn.Turn, ending: Turn.TurnEvent) => Effect.Effect<void>
}

/** Gives turns to the agent. */
export interface Performers {
  /** Lets an agent begin, after `hired` knows it. */
  readonly begin: (turn: Turn.Turn, hired: (work: Work) => void) => void
  /** Interrupts the agent, which may take a while to let go; nobody waits for it but the session's next turn. */
  readonly letGo: (work: Work | null) => void
  /** Interrupts these agents at once, and waits for the end of all. */
  readonly end: (works: ReadonlyArray<Work>) => Effect.Effect<void>
}

const isExpectation = (work: Work): work is Expectation => "foresight" in work

/** Nobody is at work. */
export const make = Effect.fnUntraced(function* (agent: Agent["Service"], audience: Audience) {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context())

  /** What is expected of the turn next, or that the agent lets go of it. */
  const expect = (work: Expectation) => {
    work.at = timetable.after(
      work.leaving
        ? work.foresight.letGo_ms(work.turn)
        : Math.max(0, work.foresight.next(work.turn).at_ms - clock.currentTimeMillisUnsafe())
    )
    timetable.add(work)
  }

  const due = (work: Expectation): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (work.leaving) return audience.ended(work, work.turn, cancelled)
      return Effect.flatMap(audience.happened(work, work.turn, work.foresight.next(work.turn).event()), (moved) => {
        if (moved === undefined) return Effect.void
        work.turn = moved
        if (Turn.isTerminal(moved.status)) return audience.ended(work, moved, silent)
        return Effect.sync(() => expect(work))
      })
    }).pipe(
      Effect.catch((refused) => {
        if (!Turn.isTerminal(refused.from)) return Effect.die(refusal(refused))
        // it was cancelled at this very moment
        work.leaving = true
        return Effect.sync(() => expect(work))
      }),
      Effect.catchDefect((defect) =>
        Effect.andThen(died(work.turn, defect), audience.ended(work, work.turn, failed(defect)))
      )
    )

  const perform = (performing: PerformingAgent, work: Work, turn: Turn.Turn): Effect.Effect<void> =>
    performing.perform(turn).pipe(
      Stream.runForEach((event) =>
        Effect.catchTag(audience.happened(work, turn, event), "RefusedMove", (refused) =>
          Turn.isTerminal(refused.from) ? Effect.void : Effect.die(refusal(refused))
        )
      ),
      Effect.tapDefect((defect) => died(turn, defect)),
      Effect.onExit((exit) => audience.ended(work, turn, endingOf(exit))),
      Effect.ignoreCause
    )

  const timetable = yield* Timetable.make(due)

  const begin: Performers["begin"] = (turn, hired) => {
    if ("perform" in agent) {
      const work: Performance = { fiber: undefined }
      hired(work)
      work.fiber = fork(perform(agent, work, turn))
      return
    }
    const work: Expectation = { at: 0, ordinal: 0, place: -1, leaving: false, turn, foresight: agent.foresee(turn) }
    hired(work)
    expect(work)
  }

  const letGo: Performers["letGo"] = (work) => {
    if (work === null) return
    if (!isExpectation(work)) return work.fiber?.interruptUnsafe()
    if (work.leaving) return
    work.leaving = true
    // what is said right now is heard first
    if (work.place < 0) return
    timetable.remove(work)
    expect(work)
  }

  const end: Performers["end"] = (works) =>
    Effect.forEach(
      works,
      (work) => {
        if (!isExpectation(work)) return work.fiber === undefined ? Effect.void : Fiber.interrupt(work.fiber)
        timetable.remove(work)
        return audience.ended(work, work.turn, cancelled)
      },
      { concurrency: "unbounded", discard: true }
    )

  const performers: Performers = { begin, letGo, end }
  return performers
})

const cancelled: Turn.TurnEvent = { _tag: "Cancelled" }

const silent: Turn.TurnEvent = { _tag: "Failed", error: "The agent ended without saying how." }

const failed = (error: unknown): Turn.TurnEvent => ({
  _tag: "Failed",
  error: error instanceof Error ? error.message : String(error)
})

/** What an agent's end makes of a turn that has had no terminal event. */
const endingOf = (exit: Exit.Exit<void, AgentError>): Turn.TurnEvent => {
  if (Exit.isSuccess(exit)) return silent
  return Cause.hasInterruptsOnly(exit.cause) ? cancelled : failed(Cause.squash(exit.cause))
}

const refusal = (refused: RefusedMove): string => `The agent sent ${refused.event} for a turn that is ${refused.from}.`

const died = (turn: Turn.Turn, defect: unknown) => Effect.logError(`The agent died in turn ${turn.id}`, defect)
