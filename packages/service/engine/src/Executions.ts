import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as AgentReports from "./AgentReports.ts"
import type { BrowserControl } from "./BrowserControl.ts"
import type { Browsers } from "./Browsers.ts"
import * as Commits from "./Commits.ts"
import type * as Decide from "./domain/Decide.ts"
import { SessionNotFound } from "./domain/Errors.ts"
import type { Session } from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import * as LateCommits from "./LateCommits.ts"
import { owned } from "./Owned.ts"
import { Agent } from "./ports/Agent.ts"
import { FinishedTurns } from "./ports/FinishedTurns.ts"
import { Hints } from "./ports/Hints.ts"
import { NodeId } from "./ports/NodeId.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"
import { type Hands, Work } from "./ports/Work.ts"
import * as RunningAgents from "./RunningAgents.ts"
import * as Questions from "./Questions.ts"
import * as Takes from "./Takes.ts"

/** Runs turns at this node, under leases in the sessions' records. */
export interface Executions
  extends
    Pick<Commits.Commits, "commit" | "change">,
    Pick<AgentReports.AgentReports, "stepsIn">,
    Pick<Takes.Takes, "create">,
    Pick<Hands, "take" | "resume" | "look" | "lookNow" | "abandon"> {
  /** Finds a session that the caller may see. */
  readonly find: (id: string) => Effect.Effect<Session, SessionNotFound | StoreUnavailable>
  readonly isDraining: () => boolean
  /** Drains for as long as an operator wants this node to. */
  readonly pause: Effect.Effect<void>
  readonly unpause: Effect.Effect<void>
  /** Takes no more turns, waits at most this long for running ones, and returns the number of those left. */
  readonly drain: (within: Duration.Input) => Effect.Effect<number>
}

/** Stops agents whose turns were cancelled at another node. Without agents, the store isn't read. */
const makeLookAtCancels = <E>(
  agents: RunningAgents.RunningAgents,
  cancelled: Effect.Effect<ReadonlyArray<Turn.Turn>, E>
) =>
  Effect.suspend(() =>
    agents.isEmpty()
      ? Effect.void
      : Effect.map(cancelled, (turns) => {
          for (const { cancel, id, sessionId } of turns) {
            const execution = agents.get(sessionId)
            if (execution?.turn.id === id && cancel !== null) execution.interrupt(cancel.reason)
          }
        })
  )

/** Works on sessions under leases of this node. Closing its scope gives the leases back. */
export const make = Effect.fnUntraced(function* (browsers: Browsers, control: BrowserControl) {
  const agent = yield* Agent
  const store = yield* Store
  const node = yield* NodeId
  const work = yield* Work
  const hints = yield* Hints
  const onFinished = yield* FinishedTurns
  const fork = Effect.runForkWith(yield* Effect.context())
  const agents = RunningAgents.make()
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
    agents,
    store,
    current,
    onCommitted: (decision) => carryOn(decision),
    isClosing: () => closing
  })

  /** Reacts to a stored step. */
  const carryOn = ({ events, finished, session, turns }: Decide.Decision): void => {
    if (onFinished !== null) for (const turn of finished) fork(onFinished(turn))
    const execution = agents.get(session.id)
    // the response came late, and the agent is that of a later step
    if (execution !== undefined && execution.token > session.revision) return
    const left = execution !== undefined && session.lease?.token !== execution.token
    if (left) agents.remove(session.id)
    if (left && session.lease !== null && session.lease.node !== node) execution.abort()
    const { lease } = session
    if (lease !== null && lease.node !== node && turns.some(({ id }) => id === lease.turnId)) {
      fork(hints.tell(lease.node))
    }
    // another node takes the session's next turn
    const isGivenBack = lease === null && turns.some(({ status }) => status === "queued")
    if (left && (isGivenBack || isDraining())) fork(hints.tell(null))
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
      const turn = turns.find(({ id }) => id === execution.turn.id)
      const cancel = turn?.cancel ?? null
      if (cancel !== null) execution.interrupt(cancel.reason)
      if (turn !== undefined && events.some(({ question }) => question !== undefined))
        questions.changed(execution, turn)
    }
    agents.release(session.id)
    if (session.status === "stopped" && session.browserId !== null) {
      browsers.stopLater(session.browserId, "session_stopped")
    }
  }

  const { changed, giveBack, reports, stepsIn } = yield* AgentReports.make({
    agents,
    browsers,
    control,
    find,
    insist: (...command) =>
      Effect.tap(insist(...command), ({ turn }) =>
        // a report may be older than a question that a request has stored since, which must not be forgotten
        turn === null || Turn.waitingFor(turn) === null ? Effect.void : Effect.sync(() => questions.follow(turn))
      ),
    isClosing: () => closing
  })
  const questions: Questions.Questions = yield* Questions.make({ agents, changed })
  const execute = yield* agent.serve(reports)

  const begin = (turn: Turn.Turn, token: number): void => {
    const execution = execute(turn, token)
    agents.add(execution)
    questions.follow(turn)
    execution.begin()
  }

  /** Ends all agents here and gives their turns back. The engine writes the end, and ignores what they still say. */
  const close = Effect.suspend(() => {
    draining = true
    closing = true
    const held = agents.all()
    return Effect.andThen(
      Effect.forEach(held, (execution) => execution.end(), { concurrency: "unbounded", discard: true }),
      Effect.forEach(held, giveBack, { discard: true })
    )
  })
  yield* Effect.addFinalizer(() => close)

  const takes = yield* Takes.make({ agents, attempted, begin, commit, insist, isDraining })
  const lookAtLateCommits = yield* LateCommits.make({ agents, browsers, change, takes })

  const lookAtCancels = makeLookAtCancels(agents, store.cancelledAt(node))

  const executions: Executions = {
    find,
    stepsIn,
    commit,
    change,
    ...takes,
    look: lookAtCancels.pipe(Effect.andThen(questions.look), Effect.andThen(lookAtLateCommits)),
    lookNow: lookAtCancels.pipe(Effect.andThen(questions.lookNow), Effect.andThen(lookAtLateCommits)),
    abandon: Effect.sync(() => agents.all().forEach(agents.drop)),
    isDraining,
    pause: Effect.sync(() => {
      paused = true
      browsers.setDraining(true)
    }),
    unpause: Effect.sync(() => {
      paused = false
      browsers.setDraining(isDraining())
    }),
    drain: (within: Duration.Input) =>
      Effect.suspend(() => {
        draining = true
        browsers.setDraining(true)
        const done = Effect.suspend(() =>
          Effect.forEach(agents.all(), ({ sessionId }) => agents.untilReleased(sessionId), {
            concurrency: "unbounded",
            discard: true
          })
        )
        return Effect.andThen(takes.settled, done)
      }).pipe(
        Effect.timeoutOption(within),
        Effect.map(() => agents.all().length)
      )
  }
  return executions
})
