import { Session } from "@webagent/contract/v3"
import { check, scenario, type ScenarioContext, Suite, type TaskScript } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Operations from "./Operations.ts"
import { atWork, interruptAtEnd, long } from "./ScriptedRun.ts"

const paid = { needs: ["money"] } as const
const scripted = { needs: ["money", "scriptable-agent"] } as const
const ours = { needs: ["money", "scriptable-agent", "assumptions"] } as const
const oursReread = { ...ours, allows: ["polls-after-terminal"] } as const
const oursUnread = { ...ours, allows: ["results-never-fetched"] } as const
const paidReread = { ...paid, allows: ["polls-after-terminal"] } as const
const paidUnread = { ...paid, allows: ["results-never-fetched"] } as const
const scriptedUnread = { ...scripted, allows: ["results-never-fetched"] } as const

const finish = ({ simulate, v3 }: ScenarioContext, script: TaskScript) =>
  v3.sessions.createAndWait({ task: simulate("Buy a red mug", { duration: "5ms", ...script }) })

export default Suite.make("v3-sessions", [
  scenario("creating a session returns its id", paidUnread, function* ({ request }) {
    const answer = yield* request("v3", { method: "POST", path: "/sessions", body: { task: "Say hello" } })
    yield* check.status(answer, "2xx")
    yield* check.schema(Session, answer.body, "the created session")
  }),
  scenario("a session is readable by its id and gets a result", paidReread, function* ({ request, v3 }) {
    const { id } = yield* v3.sessions.create({ task: "Say hello" })
    const session = yield* v3.sessions.untilTerminal(id)
    yield* check.equal(session.id, id, "the id")
    const answer = yield* request("v3", { method: "GET", path: `/sessions/${id}` })
    yield* check.status(answer, 200)
    yield* check.that("the session includes its result", Object.hasOwn(Object(answer.body), "result"), {
      expected: "a field result",
      actual: answer.text
    })
  }),
  scenario("a session accepts a thinkingLevel", paidUnread, function* ({ v3 }) {
    const { id } = yield* v3.sessions.create({ task: "Say hello", thinkingLevel: "low" })
    yield* check.equal((yield* v3.sessions.get(id)).id, id, "the id")
  }),
  scenario("an unknown session is rejected", function* ({ request }) {
    const answer = yield* request("v3", { method: "GET", path: `/sessions/${yield* Operations.unknownId}` })
    yield* check.status(answer, "4xx")
  }),
  scenario("a session has the agent's result", scripted, function* (context) {
    for (const output of ["12 EUR", { price: 12, shops: ["a", "b"] }, 42]) {
      yield* check.deepEqual((yield* finish(context, { output })).result, output, "result")
    }
  }),
  scenario("ten sessions at the same time get their own results", scripted, function* (context) {
    const words = Array.from({ length: 10 }, (_, index) => `result-${index}-${context.seed}`)
    const sessions = yield* Effect.forEach(words, (output) => finish(context, { output }), { concurrency: 10 })
    yield* check.deepEqual(
      sessions.map(({ result }) => result),
      words,
      "the results in the order of the sessions"
    )
    yield* check.equal(new Set(sessions.map(({ id }) => id)).size, 10, "the number of different ids")
  }),
  scenario("a session has no result while the agent is running", scriptedUnread, function* (context) {
    const { simulate, v3 } = context
    const task = simulate("Buy a mug", { duration: long, output: "late" })
    const { id } = yield* v3.sessions.create({ task })
    yield* interruptAtEnd(context, id)
    const early = yield* v3.sessions.get(id)
    yield* check.equal(early.result ?? null, null, "result before the end")
  }),
  scenario("creating a session returns 201 with every field", oursUnread, function* (context) {
    const { request, simulate } = context
    const task = simulate("Buy a mug", { duration: long })
    const body = { task, thinkingLevel: "high", somethingElse: true }
    const answer = yield* request("v3", { method: "POST", path: "/sessions", body })
    yield* check.status(answer, 201)
    const session = yield* check.schema(Session, answer.body)
    yield* interruptAtEnd(context, session.id)
    const fields =
      "browserCostUsd cost createdAt id isTaskSuccessful liveUrl llmCostUsd maxCostUsd model output outputSchema proxyCostUsd " +
      "proxyUsedMb recordingUrls result status stepCount task thinkingLevel title totalCostUsd totalInputTokens " +
      "totalOutputTokens updatedAt"
    yield* check.equal(Object.keys(session).toSorted().join(" "), fields, "the fields")
    yield* check.equal(session.task, task, "task")
    yield* check.equal(session.thinkingLevel, "high", "thinkingLevel")
    yield* check.equal(session.result, null, "result")
    yield* check.match(session.createdAt, /Z$/u, "createdAt, in UTC with Z")
  }),
  scenario("a session is running and then idle", ours, function* ({ simulate, v3, v4 }) {
    const { id } = yield* v3.sessions.create({ task: simulate("Buy a mug", { duration: atWork }) })
    const running = yield* v3.sessions
      .get(id)
      .pipe(Effect.repeat({ until: ({ status }) => status !== "created", schedule: Schedule.spaced("5 millis") }))
    yield* check.equal(running.status, "running", "status at work")
    yield* v4.sessions.queue(id, { text: simulate("And a blue one", { duration: "5ms" }), interrupt: true })
    const rested = yield* v3.sessions.untilTerminal(id)
    yield* check.equal(rested.status, "idle", "status at rest")
    yield* check.that("updatedAt has moved", (rested.updatedAt ?? "") > (running.createdAt ?? "?"), {
      expected: `after ${running.createdAt}`,
      actual: rested.updatedAt
    })
  }),
  scenario("a session with a failed turn has the status error and no result", ours, function* (context) {
    const session = yield* finish(context, { outcome: "failed", error: "no mug" })
    yield* check.equal(session.status, "error", "status")
    yield* check.equal(session.result, null, "result")
  }),
  scenario("a session without keepAlive stops after its turn", oursReread, function* (context) {
    const session = yield* finish(context, { keepAlive: false, output: "done" })
    const { status, result } = yield* context.v3.sessions.get(session.id)
    yield* check.equal(status, "stopped", "status")
    yield* check.equal(result, "done", "result")
  }),
  scenario("thinkingLevel is null by default", ours, function* (context) {
    yield* check.equal((yield* finish(context, {})).thinkingLevel, null, "thinkingLevel")
  })
])
