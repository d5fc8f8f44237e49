import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Attempts from "./Attempts.ts"
import type { Browsers } from "./Browsers.ts"
import * as Commits from "./Commits.ts"
import type * as Decide from "./domain/Decide.ts"
import { SessionNotFound } from "./domain/Errors.ts"
import type { InvalidTransition } from "./domain/InvalidTransition.ts"
import * as Turn from "./domain/Turn.ts"
import { owned } from "./Owned.ts"
import { Agent, type Execution, LeaseLost, type Reports, TurnOver } from "./ports/Agent.ts"
import { FinishedTurns } from "./ports/FinishedTurns.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { Work } from "./ports/Work.ts"
import { storeRetries } from "./storeRetries.ts"

const using = ({ token }: Execution, used: Turn.Usage): Decide.Command => ({
  _tag: "Progress",
  token,
  progress: { used }
})

/** The agents at work at this node. */
export type Executions = Effect.Success<ReturnType<typeof make>>

/** Works on sessions under leases of this node. Closing its scope gives the leases back. */
export const make = Effect.fnUntraced(function* (browsers: Browsers) {
  const agent = yield* Agent
  const store = yield* Store
  const node = yield* NodeId
  const work = yield* Work
  const hints = yield* Hints
  const onFinished = yield* FinishedTurns
  const fork = Effect.runForkWith(yield* Effect.context())
  /** The agents at work here, by session. */
  const executions = new Map<string, Execution>()
  /** The agents whose turns go back to the queue, because this node drained before they had a browser. */
  const givenBack = new WeakSet<Execution>()
  const letGos = new Map<string, Deferred.Deferred<void>>()
  /** The takes under way: each may still start an agent. */
  const takes = new Set<Deferred.Deferred<void>>()
  /** This node takes no more turns, neither offered ones nor the next ones of its sessions. */
  let draining = false
  /** The same for as long as an operator has this node drain. */
  let paused = false
  const isDraining = () => draining || paused
  let closing = false

  /** A session that the caller may see. */
  const find = (id: string) => owned(store.session(id), () => new SessionNotFound({ id }))

  /** The command at this moment: this node takes a turn only while its lease holds. */
  const current = (command: Decide.Command): Result.Result<Decide.Command, Decide.Refusal> => {
    if (command._tag === "Take") return work.mayTake() ? Result.succeed(command) : Result.fail({ _tag: "LeaseLost" })
    if (command._tag !== "Report" && command._tag !== "LetGo") return Result.succeed(command)
    return Result.succeed({ ...command, goesOn: !isDraining() && work.mayTake() })
  }

  const { attempted, change, commit, insist } = Commits.make({
    store,
    current,
    onCommitted: (decision) => carryOn(decision),
    isClosing: () => closing
  })

  /** Reacts to a stored step. */
  const carryOn = ({ finished, session, turns }: Decide.Decision): void => {
    if (onFinished !== null) for (const turn of finished) fork(onFinished(turn))
    const execution = executions.get(session.id)
    const left = execution !== undefined && session.lease?.token !== execution.token
    if (left) executions.delete(session.id)
    if (left && session.lease !== null && session.lease.node !== node) execution.abort()
    const { lease } = session
    if (lease !== null && lease.node !== node && turns.some(({ id }) => id === lease.turnId)) {
      fork(hints.tell(lease.node))
    }
    // another node takes the session's next turn
    if (left && isDraining()) fork(hints.tell(null))
    const leased = turns.find(({ id }) => id === session.lease?.turnId)
    if (session.lease?.token === session.revision && session.lease.node === node && leased !== undefined) {
      const { token } = session.lease
      if (Turn.isTerminal(leased.status)) {
        // the turn was cancelled before this node knew of its lease
        const command = { _tag: "LetGo", token, ending: { _tag: "Cancelled" } } as const
        fork(Effect.ignore(insist(session.id, command)))
      } else if (execution?.token !== token) {
        begin(leased, token)
      }
    } else if (execution !== undefined && !left) {
      const cancel = turns.find(({ id }) => id === execution.turn.id)?.cancel ?? null
      if (cancel !== null) execution.interrupt(cancel.reason)
    }
    if (!executions.has(session.id)) letGo(session.id)
    if (session.status === "stopped" && session.browserId !== null) {
      const isAway = ({ _tag }: { readonly _tag: string }) => _tag === "StoreUnavailable" && !closing
      const stopped = browsers.stop(session.browserId, "session_stopped")
      fork(Effect.ignore(Effect.retry(stopped, { schedule: storeRetries, while: isAway })))
    }
  }

  const letGo = (sessionId: string) => {
    const waiting = letGos.get(sessionId)
    if (waiting === undefined) return
    letGos.delete(sessionId)
    Deferred.doneUnsafe(waiting, Effect.void)
  }

  /** The engine hears an agent only while it holds the session here: not after a reset, not without the lease. */
  const report = (
    execution: Execution,
    command: Decide.Command
  ): Effect.Effect<Decide.Decision | undefined, InvalidTransition> =>
    Effect.suspend(() =>
      executions.get(execution.sessionId) === execution
        ? insist(execution.sessionId, command)
        : Effect.succeed(undefined)
    ).pipe(
      Effect.catch((error) => {
        if (error._tag === "InvalidTransition") return Effect.fail(error)
        // the agent ends like a cancelled one, and gives the lease back then
        if (error._tag === "Over") return Effect.sync(() => void execution.interrupt("asked"))
        const unsaid = `Could not store the outcome of turn ${execution.turn.id}`
        return Effect.andThen(
          error._tag === "StoreUnavailable" ? Effect.logError(unsaid, error.cause) : Effect.void,
          Effect.as(drop(execution), undefined)
        )
      })
    )

  /** Another node has the session, so the engine ignores the agent here. */
  const drop = (execution: Execution) =>
    Effect.sync(() => {
      if (executions.get(execution.sessionId) !== execution) return
      executions.delete(execution.sessionId)
      letGo(execution.sessionId)
      execution.abort()
    })

  /**
   * Commits the reports of an agent in a fiber other than its events. If one can't be committed, the agent must stop.
   */
  const reportAgain = (execution: Execution, command: Decide.Command): Effect.Effect<Decide.Decision, LeaseLost> => {
    const lost = Effect.fail(new LeaseLost({ turnId: execution.turn.id }))
    return Effect.matchEffect(report(execution, command), {
      onFailure: () => lost,
      onSuccess: (decision) => (decision === undefined ? lost : Effect.succeed(decision))
    })
  }

  /** Command for a turn when this node closes. */
  const giveBack = (execution: Execution, now_ms: number): Decide.Command => ({
    _tag: "GiveBack",
    token: execution.token,
    resumes: agent.resumes,
    used: execution.used(now_ms)
  })

  const { attempt, cutShort, stepsIn } = yield* Attempts.make({
    browsers,
    find,
    told: reportAgain,
    giveBack: (execution) => void givenBack.add(execution)
  })

  /** Reports an agent's event or usage, and returns its turn. */
  const reported = (execution: Execution, command: Decide.Command) =>
    Effect.map(report(execution, command), (decision) => decision?.turn ?? undefined)

  /** A turn that was cancelled at the same moment refuses an event; any other refusal is a bug of the agent. */
  const orOver =
    ({ turn }: Execution) =>
    (refused: InvalidTransition): Effect.Effect<never, TurnOver> =>
      Turn.isTerminal(refused.from)
        ? Effect.fail(new TurnOver({ turnId: turn.id }))
        : Effect.die(`The agent reported ${refused.event} while the turn was ${refused.from}.`)

  const onEnd: Reports["onEnd"] = (execution, ending) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const command: Decide.Command =
        closing || givenBack.has(execution)
          ? giveBack(execution, now)
          : { _tag: "LetGo", token: execution.token, ending, used: execution.used(now) }
      return Effect.andThen(cutShort(execution, now), Effect.ignore(report(execution, command)))
    })

  const execute = yield* agent.serve({
    attempt,
    onEvent: (execution, event, leaves) =>
      reported(execution, { _tag: "Report", token: execution.token, event, leaves }).pipe(
        Effect.tapError((refused) => {
          // the cost of a turn that was cancelled meanwhile still counts
          const cost = "report" in event ? event.report?.cost : undefined
          if (cost === undefined || !Turn.isTerminal(refused.from)) return Effect.void
          return Effect.asVoid(reported(execution, using(execution, { cost })))
        }),
        Effect.catchTag("InvalidTransition", orOver(execution))
      ),
    onUsed: (execution, usage) =>
      Effect.catchTag(reported(execution, using(execution, usage)), "InvalidTransition", orOver(execution)),
    onEnd,
    onCrash: (execution, defect) =>
      Effect.andThen(
        Effect.logError(`The agent crashed in turn ${execution.turn.id}`, defect),
        onEnd(execution, {
          _tag: "Failed",
          error: defect instanceof Error ? defect.message : String(defect),
          failure: "agent_crashed"
        })
      )
  })

  const begin = (turn: Turn.Turn, token: number): void => {
    const execution = execute(turn, token)
    executions.set(turn.sessionId, execution)
    execution.begin()
  }

  /** Ends all agents here and gives their turns back. The engine writes the end, and ignores what they still say. */
  const close = Effect.suspend(() => {
    draining = true
    closing = true
    const held = [...executions.values()]
    return Effect.andThen(
      Effect.forEach(held, (execution) => execution.end(), { concurrency: "unbounded", discard: true }),
      Effect.forEach(
        held,
        (execution) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(report(execution, giveBack(execution, now)))),
        { discard: true }
      )
    )
  })
  yield* Effect.addFinalizer(() => close)

  /** Takes the session's next turn, unless a node that lives has the session; `from` is one that does not. */
  const takeNow = Effect.fnUntraced(function* (sessionId: string, from?: string) {
    const command = { _tag: "Take", node, resumes: agent.resumes } as const
    const { lease } = (yield* takeOrFindOut(sessionId, from === undefined ? command : { ...command, from })).session
    if (lease === null || lease.node === node || !(yield* work.isLost(lease.node))) return
    yield* takeOrFindOut(sessionId, { ...command, from: lease.node })
  })

  /** If the store's answer is lost, this node may have a lease without knowing. It finds out later. */
  const takeOrFindOut = (sessionId: string, command: Decide.Command) =>
    attempted(sessionId, command, (tried) => {
      if (tried !== undefined) fork(Effect.ignore(insist(sessionId, command, tried)))
    })

  /** Lets go of what was cancelled at another node. */
  const look = Effect.map(store.cancelledAt(node), (turns) => {
    for (const { cancel, id, sessionId } of turns) {
      const execution = executions.get(sessionId)
      if (execution?.turn.id === id && cancel !== null) execution.interrupt(cancel.reason)
    }
  })

  const abandon = Effect.suspend(() => Effect.forEach([...executions.values()], drop, { discard: true }))

  const waitUntilLetGo = (sessionId: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!executions.has(sessionId)) return Effect.void
      const waiting = letGos.get(sessionId) ?? Deferred.makeUnsafe<void>()
      letGos.set(sessionId, waiting)
      return Deferred.await(waiting)
    })

  /** Has this node take a session with `takes`, unless it drains. */
  const taking = (
    sessionId: string,
    take: Effect.Effect<void, Commits.NotChanged>
  ): Effect.Effect<Effect.Effect<void>, StoreUnavailable> =>
    Effect.suspend(() => {
      if (isDraining()) return Effect.void
      const done = Deferred.makeUnsafe<void>()
      takes.add(done)
      const leave = Effect.sync(() => {
        takes.delete(done)
        Deferred.doneUnsafe(done, Effect.void)
      })
      return Effect.ensuring(Effect.uninterruptible(take), leave)
    }).pipe(
      Effect.catch((error) => (error._tag === "StoreUnavailable" ? Effect.fail(error) : Effect.void)),
      Effect.as(waitUntilLetGo(sessionId))
    )

  /** Continues the turn of a lease that an earlier engine of this node left in the store; takes any other session. */
  const resumeNow = Effect.fnUntraced(function* (sessionId: string) {
    const state = Option.getOrUndefined(yield* store.sessionState(sessionId))
    const lease = state?.session.lease ?? null
    if (state === undefined || lease?.node !== node) return yield* takeNow(sessionId)
    const held = state.turns.find((turn) => turn.id === lease.turnId && !Turn.isTerminal(turn.status))
    if (held === undefined) return yield* takeNow(sessionId, node)
    begin(held, lease.token)
  })

  return {
    find,
    stepsIn,
    commit,
    change,
    take: (sessionId: string) => taking(sessionId, takeNow(sessionId)),
    resume: (sessionId: string) => taking(sessionId, resumeNow(sessionId)),
    look,
    abandon,
    isDraining,
    pause: Effect.sync(() => {
      paused = true
      browsers.setDraining(true)
    }),
    unpause: Effect.sync(() => {
      paused = false
      browsers.setDraining(isDraining())
    }),
    /** Takes no turn more, waits at most this long for those at work, and says how many are left. */
    drain: (within: Duration.Input) =>
      Effect.suspend(() => {
        draining = true
        browsers.setDraining(true)
        const taken = Effect.forEach([...takes], Deferred.await, { concurrency: "unbounded", discard: true })
        const done = Effect.suspend(() =>
          Effect.forEach([...executions.keys()], waitUntilLetGo, { concurrency: "unbounded", discard: true })
        )
        return Effect.andThen(taken, done)
      }).pipe(
        Effect.timeoutOption(within),
        Effect.map(() => executions.size)
      )
  }
})
