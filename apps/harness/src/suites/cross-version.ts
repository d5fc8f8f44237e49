import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import { atWork, finish, interruptAtEnd, start, until } from "./ScriptedRun.ts"

const shared = { needs: ["money", "scriptable-agent", "shared-sessions"] } as const
const sharedUnread = { ...shared, allows: ["results-never-fetched"] } as const

/** Status of a finished turn in each version. */
const endings = [
  { outcome: "completed", v2: "finished", v3: "idle", v4: "completed" },
  { outcome: "failed", v2: "failed", v3: "error", v4: "failed" },
  { outcome: "cancelled", v2: "stopped", v3: "idle", v4: "cancelled" }
] as const

export default Suite.make("cross-version", [
  ...endings.map(({ outcome, ...words }) =>
    scenario(`a ${outcome} run is ${words.v2} in v2 and ${words.v3} in v3`, shared, function* (context) {
      const { id, run, sessionId } = yield* finish(context, { outcome })
      const v2 = yield* context.v2.sessions.get(sessionId)
      const v3 = yield* context.v3.sessions.get(sessionId)
      yield* check.equal(run.status, words.v4, "v4's status")
      yield* check.deepEqual(
        v2.tasks.map((task) => [task.id, task.status]),
        [[id, words.v2]],
        "v2's tasks"
      )
      yield* check.equal(v3.status, words.v3, "v3's status")
    })
  ),
  scenario("a session has the same task and result in every version", shared, function* (context) {
    const { run, sessionId } = yield* finish(context, { output: "the same everywhere", cost: "0.02" })
    const v2 = yield* context.v2.sessions.get(sessionId)
    const v3 = yield* context.v3.sessions.get(sessionId)
    yield* check.deepEqual([v2.id, v3.id], [sessionId, sessionId], "the ids")
    yield* check.deepEqual([v2.tasks[0]?.task, v3.task], [run.task, run.task], "the tasks")
    yield* check.deepEqual(
      [v2.tasks[0]?.output, v3.result, run.result],
      Array(3).fill("the same everywhere"),
      "the results"
    )
    yield* check.equal(v2.tasks[0]?.cost, run.cost, "the cost")
  }),
  scenario("a running run is started in v2 and running in v3", sharedUnread, function* (context) {
    const { id, sessionId } = yield* start(context, { duration: atWork })
    yield* interruptAtEnd(context, sessionId)
    yield* until(context, id, "running")
    const v2 = yield* context.v2.sessions.get(sessionId)
    const v3 = yield* context.v3.sessions.get(sessionId)
    yield* check.equal(v2.tasks[0]?.status, "started", "v2's status")
    yield* check.equal(v3.status, "running", "v3's status")
    yield* check.equal((yield* context.v4.runs.status(id)).status, "running", "v4's status, still")
  }),
  scenario("a session created in v3 is readable in v2 and continues in v4", shared, function* (context) {
    const task = context.simulate("Buy a mug", { duration: "5ms", output: "first" })
    const { id } = yield* context.v3.sessions.createAndWait({ task })
    const before = yield* context.v2.sessions.get(id)
    yield* check.deepEqual(
      before.tasks.map((one) => one.task),
      [task],
      "v2's tasks"
    )
    const text = context.simulate("And a blue one", { duration: "5ms", output: "second" })
    const message = yield* context.v4.sessions.queue(id, { text })
    yield* context.v4.runs.untilTerminal(message.runId ?? "")
    const after = yield* context.v2.sessions.get(id)
    yield* check.deepEqual(
      after.tasks.map((one) => one.output),
      ["first", "second"],
      "v2's outputs"
    )
    yield* check.equal((yield* context.v3.sessions.get(id)).result, "second", "v3's result, the last turn's")
  }),
  scenario("a stopped session is stopped in every version", shared, function* (context) {
    const { sessionId } = yield* finish(context, { keepAlive: false })
    yield* check.equal((yield* context.v2.sessions.get(sessionId)).status, "stopped", "v2's status")
    yield* check.equal((yield* context.v3.sessions.get(sessionId)).status, "stopped", "v3's status")
    yield* check.fails(context.v4.sessions.queue(sessionId, { text: "more" }), "ConflictError", "v4 takes no message")
  }),
  scenario("sessions keep their results apart", shared, function* (context) {
    const words = Array.from({ length: 6 }, (_, index) => `result-${index}-${context.seed}`)
    const finished = yield* Effect.forEach(words, (output) => finish(context, { output }), { concurrency: 6 })
    const read = yield* Effect.forEach(finished, ({ sessionId }) =>
      Effect.all([context.v2.sessions.get(sessionId), context.v3.sessions.get(sessionId)])
    )
    yield* check.deepEqual(
      read.map(([v2]) => v2.tasks.map((task) => task.output).join()),
      words,
      "v2's outputs"
    )
    yield* check.deepEqual(
      read.map(([, v3]) => v3.result),
      words,
      "v3's results"
    )
  }),
  scenario("v2 and v3 return 404 for the id of a run", shared, function* (context) {
    const { id } = yield* finish(context, {})
    for (const version of ["v2", "v3"] as const) {
      yield* check.status(yield* context.request(version, { method: "GET", path: `/sessions/${id}` }), 404)
    }
  })
])
