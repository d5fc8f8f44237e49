import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { reasonOf, type Turn, type TurnEvent } from "../src/domain/Turn.ts"
import { AgentError } from "../src/ports/Agent.ts"
import { LaunchFailed } from "../src/ports/BrowserPool.ts"
import { FinishedTurns } from "../src/ports/FinishedTurns.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import { completed, type Parts, request, start, started, test } from "./starts.ts"

const limited: TurnEvent = { _tag: "Failed", error: "The run reached its limit of 5 steps.", failure: "step_limit" }
const unsuccessful: TurnEvent = { _tag: "Completed", report: { isSuccess: false } }

/** Each task finishes in its own way; `runs` works until it's cancelled, and then costs more. */
const perform: Parts["perform"] = ({ task }, attempt) => {
  if (task === "breaks down") return Stream.fail(new AgentError({ message: "No such task.", failure: "invalid_task" }))
  if (task === "crashes") return Stream.die(new Error("a bug"))
  if (task === "no browser") return Stream.fail(new LaunchFailed({ reason: "full", message: "All are in use." }))
  if (task === "is silent") return Stream.make(started)
  if (task === "reaches a limit") return Stream.make(started, limited)
  if (task === "is unsuccessful") return Stream.make(started, unsuccessful)
  if (task === "completes") return Stream.make(started, completed)
  return Stream.concat(Stream.make(started), Stream.never).pipe(
    Stream.ensuring(Effect.ignore(attempt.used({ cost: "0.42" })))
  )
}

/** Runs a test with a list of the turns that were reported as finished. */
const reporting = <A, E, R>(use: (reported: () => ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const turns: Array<Turn> = []
    const shown = (turn: Turn) => `${turn.task}: ${turn.status} ${reasonOf(turn)} ${turn.cost ?? "-"}`
    return use(() => turns.map(shown)).pipe(
      Effect.provideService(FinishedTurns, (turn) => Effect.sync(() => void turns.push(turn)))
    )
  })

const create = (task: string) => ({ ...request, task })

describe("FinishedTurns", () => {
  test(
    "reports each way in which an agent finishes, with its reason",
    reporting((reported) =>
      Effect.gen(function* () {
        const { engine } = yield* start("a", { perform })
        const tasks = ["breaks down", "crashes", "no browser", "is silent", "reaches a limit", "is unsuccessful"]
        for (const task of [...tasks, "completes"]) {
          yield* engine.createSession(create(task))
          yield* TestClock.adjust("1 second")
        }
        assert.deepStrictEqual(reported(), [
          "breaks down: failed invalid_task -",
          "crashes: failed agent_crashed -",
          "no browser: failed no_browser -",
          "is silent: failed agent_crashed -",
          "reaches a limit: failed step_limit -",
          "is unsuccessful: completed reported_failure -",
          "completes: completed done -"
        ])
      })
    )
  )

  test(
    "reports a cancelled turn once, when its agent has stopped and its cost is final",
    reporting((reported) =>
      Effect.gen(function* () {
        const { engine } = yield* start("a", { agent: { grace_ms: 5000 }, perform })
        const { session, turn } = yield* engine.createSession(create("runs"))
        const next = yield* engine.queue({ sessionId: session.id, text: "waits", interrupt: false })
        yield* TestClock.adjust("1 second")
        yield* engine.cancelTurn(turn.id)
        yield* engine.cancelTurn(next.turn.id)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(reported(), ["waits: cancelled asked -"])
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(reported(), ["waits: cancelled asked -", "runs: cancelled asked 0.42"])
        const stopped = yield* engine.createSession(create("runs"))
        yield* TestClock.adjust("1 second")
        yield* engine.stopSession(stopped.session.id)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(reported().slice(2), ["runs: cancelled session_stopped 0.42"])
      })
    )
  )

  test(
    "reports a closed node's turns on that node, and a killed node's turns at the next start",
    reporting((reported) =>
      Effect.gen(function* () {
        const closed = yield* start("a", { perform })
        yield* closed.engine.createSession(create("runs"))
        yield* TestClock.adjust("1 second")
        yield* closed.close
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(reported(), ["runs: failed node_closed 0.42"])
        const killed = yield* start("b", { perform })
        yield* killed.engine.createSession(create("runs"))
        yield* TestClock.adjust("1 second")
        yield* start("c", { perform })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(reported().slice(1), ["runs: failed node_lost -"])
      })
    )
  )

  test(
    "reports a turn whose commit was applied although the store's response was lost",
    reporting((reported) =>
      Effect.gen(function* () {
        const store = yield* Store
        let lost = 0
        const { engine } = yield* start("a", { perform }).pipe(
          Effect.provideService(Store, {
            ...store,
            commit: (step) =>
              Effect.flatMap(store.commit(step), () => {
                if (!step.events.some(({ to }) => to === "completed") || lost > 0) return Effect.void
                lost++
                return Effect.fail(new StoreUnavailable({ applied: "unknown", cause: "a test" }))
              })
          })
        )
        yield* engine.createSession(create("completes"))
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual([lost, reported()], [1, ["completes: completed done -"]])
      })
    )
  )
})
