import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type { BrowserControl } from "./BrowserControl.ts"
import type * as Decide from "./domain/Decide.ts"
import { costHandOff, defaultHandOff, isHandedBack, isReached, type Question, unanswered } from "./domain/Question.ts"
import * as Turn from "./domain/Turn.ts"
import { AgentError, type Attempt, type Execution, type HandedOver, type LeaseLost } from "./ports/Agent.ts"
import type { Store } from "./ports/Store.ts"
import type { Pauses } from "./Pauses.ts"
import { storeRetries } from "./storeRetries.ts"

interface HandOversOptions {
  readonly control: BrowserControl
  readonly store: Store["Service"]
}

interface AttemptOptions extends Pick<Pauses, "pausing"> {
  /** The browser of the attempt; null before it has one. */
  readonly browserId: () => string | null
  readonly report: (progress: Decide.Progress) => Effect.Effect<Decide.Decision, LeaseLost>
}

/** The waits of this node's agents for people. */
export interface HandOvers {
  /** Makes the questions of an attempt. All its progress has to be reported through them. */
  readonly of: (
    execution: Execution,
    options: AttemptOptions
  ) => Pick<Attempt, "ask" | "handedOver"> & { readonly progress: AttemptOptions["report"] }
  /** Has an agent that waits read its question again. */
  readonly wake: (execution: Execution) => void
}

/** Interval at which an agent that waits reads its question, in case a hint of another node is lost. */
const lookEvery = "5 seconds"

/** The questions whose outcomes the agent has. */
const continuedOf = ({ questions = [] }: Turn.Turn) => questions.filter(({ continued }) => continued)

/** The report of an agent that waits, with the state to store meanwhile. */
const waiting = (checkpoint: Turn.Turn["checkpoint"] | undefined): Decide.Progress => ({
  waits: true,
  ...(checkpoint === undefined ? {} : { checkpoint })
})

/** Makes the waits of a node. */
export const make = ({ control, store }: HandOversOptions): HandOvers => {
  const latches = new WeakMap<Execution, Latch.Latch>()

  const read = (turnId: string, id: string) =>
    store.turn(turnId).pipe(
      Effect.map((turn) => Option.getOrUndefined(turn)?.questions?.find((question) => question.id === id)),
      Effect.retry(storeRetries),
      Effect.orElseSucceed(() => undefined)
    )

  /** Waits until a person has answered a question, or its time is over, and returns the outcome. */
  const outcomeOf = (
    execution: Execution,
    first: Question,
    browserId: string | null,
    report: AttemptOptions["report"]
  ): Effect.Effect<HandedOver, AgentError | LeaseLost> =>
    Effect.gen(function* () {
      const latch = Latch.makeUnsafe(false)
      latches.set(execution, latch)
      const { id } = first
      const mayHandBack = isHandedBack(first) && browserId !== null
      const back = yield* Effect.forkScoped(browserId === null ? Effect.never : control.handedBack(browserId), {
        startImmediately: true
      })
      const holds =
        browserId === null ? Effect.succeed(false) : Effect.map(control.of(browserId), (held) => held !== null)
      for (;;) {
        latch.closeUnsafe()
        // a turn that was purged meanwhile is over, and its agent with it
        const question = (yield* read(execution.turn.id, id)) ?? first
        const { outcome } = question
        if (outcome !== undefined) {
          // an agent that reached its cost limit ends the turn itself
          if (outcome.kind === "expired" && question.whenUnanswered === "fail" && question.reason !== "max_cost") {
            return yield* new AgentError({ failure: "unanswered", message: unanswered(question) })
          }
          const wasDriven = back.pollUnsafe() !== undefined || (yield* holds)
          // a person who drives the browser may continue for a while after the answer
          if (browserId !== null) yield* control.free(browserId)
          return { question, outcome, wasDriven }
        }
        const left_ms = question.until_ms - (yield* Clock.currentTimeMillis)
        const late = Effect.gen(function* () {
          yield* Effect.sleep(Math.max(0, left_ms))
          // a person is at it
          if (mayHandBack && (yield* holds)) return yield* Effect.never
          return { id, kind: "expired", by: null } as const
        })
        const driven = mayHandBack
          ? Effect.map(Fiber.join(back), (by) => ({ id, kind: "handed_back", by }) as const)
          : Effect.never
        const again = Effect.as(Effect.raceFirst(latch.await, Effect.sleep(lookEvery)), null)
        const over = yield* Effect.raceAllFirst([again, driven, late])
        if (over !== null) yield* report({ unanswered: over })
      }
    }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => latches.delete(execution))))

  const ofAttempt: HandOvers["of"] = (execution, { browserId, pausing, report }) => {
    const { handOff = defaultHandOff } = execution.turn
    /** The turn as it was stored last. */
    let latest = execution.turn
    /** Outcomes of questions that requests asked, and that the agent doesn't have yet. */
    let theirs: ReadonlyArray<HandedOver> = []
    const progress = (reported: Decide.Progress) =>
      Effect.tap(report(reported), ({ turn }) => Effect.sync(() => void (latest = turn ?? latest)))
    const wait = (question: Question) => {
      const outcome = Effect.suspend(() => outcomeOf(execution, question, browserId(), progress))
      return question.pausesLimits ? pausing(outcome) : outcome
    }
    return {
      progress,
      ask: Effect.fnUntraced(function* (request, checkpoint) {
        // a request may have asked first
        for (;;) {
          const limits = request.reason === "max_cost" ? costHandOff(handOff) : handOff
          yield* progress({ ask: { ...request, ...limits }, ...waiting(checkpoint) })
          const question = Turn.waitingFor(latest)
          if (question === null) return null
          const outcome = yield* wait(question)
          const before = continuedOf(latest)
          yield* progress({ goesOn: true })
          // a request may also have asked during the step, and its question may have ended before this one
          const others = continuedOf(latest).filter(
            ({ id }) => id !== question.id && !before.some((one) => one.id === id)
          )
          theirs = [...theirs, ...(yield* Effect.forEach(others, wait))]
          if (question.askedBy !== "api") return outcome
          theirs = [...theirs, outcome]
        }
      }),
      handedOver: Effect.fnUntraced(function* (checkpoint) {
        const open = (latest.questions ?? []).filter(({ continued }) => !continued)
        if (!open.every(isReached)) yield* progress(waiting(checkpoint))
        const outcomes = [...theirs, ...(yield* Effect.forEach(open, wait))]
        theirs = []
        if (open.length > 0) yield* progress({ goesOn: true })
        return outcomes
      })
    }
  }

  return { of: ofAttempt, wake: (execution) => latches.get(execution)?.openUnsafe() }
}
