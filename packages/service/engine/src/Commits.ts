import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import { flow } from "effect/Function"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Decide from "./domain/Decide.ts"
import { type AdmissionRefused, SessionNotFound } from "./domain/Errors.ts"
import * as Turn from "./domain/Turn.ts"
import type { Conflict, KeyTaken, Step, Store, StoreUnavailable } from "./ports/Store.ts"
import type { RunningAgents } from "./RunningAgents.ts"
import { firstPause, storeRetries } from "./storeRetries.ts"

/** The reason why a session isn't changed. */
export type NotChanged = Decide.Refusal | AdmissionRefused | SessionNotFound | Conflict | KeyTaken | StoreUnavailable

/** Returns further parts of the step that stores a decision. */
type Further = (decision: Decide.Decision) => Partial<Step>

/** Decides commands on sessions and commits the decisions. No caller interrupts a commit. */
export interface Commits {
  /** Commits the decision on a new session. */
  readonly commit: (decision: Decide.Decision, further?: Partial<Step>) => ReturnType<Store["Service"]["commit"]>
  /** Decides and commits, and repeats both if another step changed the session in between. */
  readonly change: (
    sessionId: string,
    command: Decide.Command,
    further?: Further
  ) => Effect.Effect<Decide.Decision, NotChanged>
  /** As `change`. If the outcome of a commit is unknown, `onDoubt` receives its decision. */
  readonly attempted: (
    sessionId: string,
    command: Decide.Command,
    onDoubt: (tried: Decide.Decision) => void
  ) => Effect.Effect<Decide.Decision, NotChanged>
  /**
   * As `change`, retried while the store is unavailable, because the work of an agent is paid for; 60 more times once the
   * node closes. The change is made once, even if a response is lost.
   */
  readonly insist: (
    sessionId: string,
    command: Decide.Command,
    doubtful?: Decide.Decision
  ) => Effect.Effect<Decide.Decision, NotChanged>
}

interface CommitsOptions {
  readonly agents: Pick<RunningAgents, "get" | "state" | "remember" | "forget">
  readonly store: Store["Service"]
  /** Returns the command as it applies now, or the reason to refuse it. */
  readonly current: (command: Decide.Command) => Result.Result<Decide.Command, Decide.Refusal>
  /** Reacts to a decision that was stored. */
  readonly onCommitted: (decision: Decide.Decision) => void
  readonly isClosing: () => boolean
}

/** Returns whether the questions of a step are stored, with as much of their outcomes; people may have answered since. */
const hasQuestions = ({ questions: stored = [] }: Turn.Turn, { questions = [] }: Turn.Turn): boolean =>
  questions.every(({ continued, id, outcome }) => {
    const one = stored.find((question) => question.id === id)
    return one !== undefined && (outcome === undefined || one.outcome !== undefined) && (!continued || one.continued)
  })

/** Returns whether a stored turn contains the changes of a step, except for its steps and model calls. */
const includes = (stored: Turn.Turn, turn: Turn.Turn): boolean =>
  stored.status === turn.status &&
  hasQuestions(stored, turn) &&
  stored.attempt === turn.attempt &&
  Turn.use(stored, turn) === stored &&
  Equal.equals(stored.checkpoint, turn.checkpoint)

/** Makes the commits of a node. */
export const make = ({ agents, current, isClosing, onCommitted, store }: CommitsOptions): Commits => {
  const commit: Commits["commit"] = (decision, further) => {
    const { events, modelCalls, session, turnSteps, turns } = decision
    const step = { session, turns, turnSteps, modelCalls, events, ...further }
    return Effect.tap(store.commit(step), () =>
      Effect.sync(() => {
        if (store.isInMemory !== true) agents.remember({ session, turns: decision.open })
        onCommitted(decision)
        if (agents.get(session.id) === undefined) agents.forget(session.id)
      })
    )
  }

  /**
   * Finds out whether a commit with an unknown outcome was applied, and returns its decision with the current turns if
   * it was. A lease is named by the revision that gave it, so a lease that the step gave is this node's, regardless of
   * the state of its turn.
   */
  const committed = Effect.fnUntraced(function* (command: Decide.Command, decision: Decide.Decision) {
    const { lease, id, revision } = decision.session
    const session = Option.getOrUndefined(yield* store.session(id))
    if (session === undefined || session.revision < revision) return undefined
    if (command._tag === "UseBrowser" && session.browserId !== command.browserId) return undefined
    const isLeased =
      lease === null
        ? session.lease === null || session.lease.token > revision
        : session.lease?.token === lease.token && session.lease.node === lease.node
    if (!isLeased) return undefined
    const turns: Array<Turn.Turn> = []
    for (const turn of decision.turns) {
      const storedTurn = Option.getOrUndefined(yield* store.turn(turn.id))
      const isGiven = lease?.token === revision && lease.turnId === turn.id
      if (storedTurn === undefined || !(isGiven || includes(storedTurn, turn))) return undefined
      turns.push(storedTurn)
    }
    for (const step of decision.turnSteps) {
      const storedStep = (yield* store.stepsOf(step.turnId))[step.ordinal - 1]
      if (!Equal.equals(storedStep, step)) return undefined
    }
    // another call of the same agent may have been stored instead, with the same ordinal
    for (const call of decision.modelCalls) {
      const storedCall = (yield* store.modelCallsOf(call.turnId))[call.ordinal - 1]
      if (!Equal.equals(storedCall, call)) return undefined
    }
    return { ...decision, turns }
  })

  /**
   * `doubtful` are decisions on this command whose commits have unknown outcomes; those that weren't applied are removed.
   * One of a later revision than the state can still be applied, by a database that was slow. The commit of the state is
   * then a conflict, and the next look finds it.
   */
  const changeUnless = (
    doubtful: Set<Decide.Decision>,
    sessionId: string,
    command: Decide.Command,
    further?: Further
  ): Effect.Effect<Decide.Decision, NotChanged> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock)
      const again = () => {
        agents.forget(sessionId)
        return changeUnless(doubtful, sessionId, command, further)
      }
      // the revision refuses a commit on it if the store has a later one; everything else is decided on what is stored
      const remembered = agents.state(sessionId)
      const stored = remembered === undefined ? store.sessionState(sessionId) : Effect.succeedSome(remembered)
      return Effect.flatMap(stored, (state): Effect.Effect<Decide.Decision, NotChanged> => {
        if (state._tag === "None") return Effect.fail(new SessionNotFound({ id: sessionId }))
        const { revision } = state.value.session
        const tried = [...doubtful].find(({ session }) => session.revision <= revision)
        if (tried !== undefined) {
          return Effect.flatMap(committed(command, tried), (applied) => {
            if (applied === undefined) {
              doubtful.delete(tried)
              return again()
            }
            onCommitted(applied)
            return Effect.succeed(applied)
          })
        }
        const decided = Result.flatMap(current(command), (now) =>
          Decide.decide(state.value, now, clock.currentTimeMillisUnsafe())
        )
        if (remembered !== undefined && !(Result.isSuccess(decided) && decided.success.changed)) return again()
        if (Result.isFailure(decided)) return Effect.fail(decided.failure)
        const decision = decided.success
        if (!decision.changed) return Effect.succeed(decision)
        return Effect.matchEffect(commit(decision, further?.(decision)), {
          onFailure: (error) => (error._tag === "Conflict" && error.id === sessionId ? again() : Effect.fail(error)),
          onSuccess: () => Effect.succeed(decision)
        })
      })
    })

  const change: Commits["change"] = (...args) => changeUnless(new Set(), ...args)

  const attemptUnless = (
    doubtful: Set<Decide.Decision>,
    sessionId: string,
    command: Decide.Command,
    onDoubt: (tried: Decide.Decision) => void
  ): Effect.Effect<Decide.Decision, NotChanged> =>
    Effect.suspend(() => {
      let tried: Decide.Decision | undefined
      const note = (decision: Decide.Decision) => {
        tried = decision
        return {}
      }
      return Effect.tapError(changeUnless(doubtful, sessionId, command, note), (error) =>
        Effect.sync(() => {
          if (error._tag === "StoreUnavailable" && error.applied !== "no" && tried !== undefined) onDoubt(tried)
        })
      )
    })

  const attempted: Commits["attempted"] = (...args) => attemptUnless(new Set(), ...args)

  const insist = (sessionId: string, command: Decide.Command, tried?: Decide.Decision) =>
    Effect.suspend(() => {
      const doubtful = new Set(tried === undefined ? [] : [tried])
      let left = 60
      const isAway = ({ _tag }: NotChanged) => _tag === "StoreUnavailable" && (!isClosing() || left-- > 0)
      const attempt = Effect.suspend(() =>
        attemptUnless(doubtful, sessionId, command, (decision) => void doubtful.add(decision))
      )
      // the first attempt nearly always succeeds, and a schedule takes as long as its commit in memory
      return Effect.catchIf(attempt, isAway, () =>
        Effect.delay(Effect.retry(attempt, { while: isAway, schedule: storeRetries }), firstPause)
      )
    })

  return {
    attempted: flow(attempted, Effect.uninterruptible),
    change: flow(change, Effect.uninterruptible),
    commit: flow(commit, Effect.uninterruptible),
    insist: flow(insist, Effect.uninterruptible)
  }
}
