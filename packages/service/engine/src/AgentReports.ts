import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import * as Attempts from "./Attempts.ts"
import type { BrowserControl } from "./BrowserControl.ts"
import type { Browsers } from "./Browsers.ts"
import type * as Commits from "./Commits.ts"
import type * as Decide from "./domain/Decide.ts"
import type { SessionNotFound } from "./domain/Errors.ts"
import type { InvalidTransition } from "./domain/InvalidTransition.ts"
import type { Session } from "./domain/Session.ts"
import * as Turn from "./domain/Turn.ts"
import { Agent, type Execution, LeaseLost, type Reports, TurnOver } from "./ports/Agent.ts"
import type { StoreUnavailable } from "./ports/Store.ts"
import type { RunningAgents } from "./RunningAgents.ts"

/** Commits the reports of this node's agents. */
export interface AgentReports {
  readonly reports: Reports
  /** Gives the turn of an agent back, because this node closes. */
  readonly giveBack: (execution: Execution) => Effect.Effect<void>
  /** Notifies an agent when a question of its turn was asked or its wait is over. */
  readonly changed: (execution: Execution, turn: Turn.Turn) => void
  /** The last steps of agents in a browser, and each one from now on. */
  readonly stepsIn: (browserId: string) => Stream.Stream<Turn.TurnStep>
}

interface AgentReportsOptions {
  readonly agents: RunningAgents
  readonly browsers: Browsers
  readonly control: BrowserControl
  readonly find: (sessionId: string) => Effect.Effect<Session, SessionNotFound | StoreUnavailable>
  readonly insist: Commits.Commits["insist"]
  readonly isClosing: () => boolean
}

const using = ({ token }: Execution, used: Turn.Usage): Decide.Command => ({
  _tag: "Progress",
  token,
  progress: { used }
})

/** Makes the reports of agents, whose commits are retried by `insist`. */
export const make = Effect.fnUntraced(function* ({
  agents,
  browsers,
  control,
  find,
  insist,
  isClosing
}: AgentReportsOptions) {
  const agent = yield* Agent
  /** The agents whose turns go back to the queue, because this node drained before they had a browser. */
  const givenBack = new WeakSet<Execution>()

  /** Commits the report of an agent. The engine ignores an agent that no longer has the session here. */
  const commit = (
    execution: Execution,
    command: Decide.Command
  ): Effect.Effect<Decide.Decision | undefined, InvalidTransition> =>
    Effect.suspend(() =>
      agents.get(execution.sessionId) === execution ? insist(execution.sessionId, command) : Effect.succeed(undefined)
    ).pipe(
      Effect.catch((error) => {
        if (error._tag === "InvalidTransition") return Effect.fail(error)
        // the agent ends like a cancelled one, and gives the lease back then
        if (error._tag === "Over") return Effect.sync(() => void execution.interrupt("asked"))
        const message = `Could not store the outcome of turn ${execution.turn.id}`
        return Effect.andThen(
          error._tag === "StoreUnavailable" ? Effect.logError(message, error.cause) : Effect.void,
          Effect.sync(() => void agents.drop(execution))
        )
      })
    )

  /**
   * Commits the reports of an agent in a fiber other than its events. If one can't be committed, the agent must stop.
   */
  const commitProgress = (execution: Execution, command: Decide.Command): Effect.Effect<Decide.Decision, LeaseLost> => {
    const lost = Effect.fail(new LeaseLost({ turnId: execution.turn.id }))
    return Effect.matchEffect(commit(execution, command), {
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

  const { attempt, cutShort, stepsIn, wake } = yield* Attempts.make({
    browsers,
    control,
    find,
    told: commitProgress,
    giveBack: (execution) => void givenBack.add(execution)
  })

  /** Reports an agent's event or usage, and returns its turn. */
  const reported = (execution: Execution, command: Decide.Command) =>
    Effect.map(commit(execution, command), (decision) => decision?.turn ?? undefined)

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
        isClosing() || givenBack.has(execution)
          ? giveBack(execution, now)
          : { _tag: "LetGo", token: execution.token, ending, used: execution.used(now) }
      return Effect.andThen(cutShort(execution, now), Effect.ignore(commit(execution, command)))
    })

  const reports: Reports = {
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
    onProgress: (execution, progress) =>
      Effect.catchTag(
        commit(execution, { _tag: "Progress", token: execution.token, progress }),
        "InvalidTransition",
        orOver(execution)
      ),
    onEnd,
    onCrash: (execution, defect) =>
      Effect.andThen(
        Effect.logError(`The agent crashed in turn ${execution.turn.id}`, defect),
        onEnd(execution, {
          _tag: "Failed",
          error: defect instanceof Error && defect.message !== "" ? defect.message : String(defect),
          failure: "agent_crashed"
        })
      )
  }

  const made: AgentReports = {
    reports,
    giveBack: (execution) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.ignore(commit(execution, giveBack(execution, now)))),
    changed: (execution, turn) => {
      execution.changed?.(turn)
      wake(execution)
    },
    stepsIn
  }
  return made
})
