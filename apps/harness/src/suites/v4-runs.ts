import { decimalPattern } from "@webagent/contract"
import { CreatedRun, QueuedMessage, Run, type Run as RunType, RunStatusView } from "@webagent/contract/v4"
import { terminalRunStatuses, runStatuses } from "@webagent/contract/Wire"
import { check, scenario, type ScenarioContext, Suite, type TaskScript } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { atOnce, atWork, finish, interruptAtEnd, long, start, until, untilInterrupted } from "./ScriptedRun.ts"

const paid = { needs: ["money"] } as const
const scripted = { needs: ["money", "scriptable-agent"] } as const
const ours = { needs: ["money", "scriptable-agent", "assumptions"] } as const
const oursReread = { ...ours, allows: ["polls-after-terminal"] } as const
const oursUnread = { ...ours, allows: ["results-never-fetched"] } as const
const paidUnread = { ...paid, allows: ["results-never-fetched"] } as const
const scriptedReread = { ...scripted, allows: ["polls-after-terminal"] } as const
const scriptedUnread = { ...scripted, allows: ["results-never-fetched"] } as const

const time = (text: string | null | undefined) => (text === null || text === undefined ? Number.NaN : Date.parse(text))

/** Queues a message whose turn does what the script says; answers the id of the run that it becomes. */
const queue = Effect.fnUntraced(function* (
  { simulate, v4 }: ScenarioContext,
  sessionId: string,
  options: { readonly text?: string; readonly interrupt?: boolean; readonly script?: TaskScript }
) {
  const text = simulate(options.text ?? "And a blue one", { duration: "5ms", ...options.script })
  const message = yield* v4.sessions.queue(sessionId, { text, interrupt: options.interrupt ?? false })
  const { runId } = message
  yield* check.that("the response names the message's run", typeof runId === "string", {
    expected: "runId",
    actual: message
  })
  return runId ?? ""
})

const startsAfter = (later: RunType, earlier: RunType) =>
  check.that(`${later.task} starts when ${earlier.task} has ended`, time(later.startedAt) >= time(earlier.finishedAt), {
    expected: `startedAt at or after ${earlier.finishedAt}`,
    actual: later.startedAt
  })

export default Suite.make("v4-runs", [
  scenario("creating a run returns its id", paidUnread, function* ({ request }) {
    const answer = yield* request("v4", { method: "POST", path: "/runs", body: { task: "Say hello" } })
    yield* check.status(answer, "2xx")
    yield* check.schema(CreatedRun, answer.body, "the run, which includes id")
  }),
  scenario("a run reaches a terminal status", paid, function* ({ request, v4 }) {
    const { id } = yield* v4.runs.create({ task: "Say hello" })
    const run = yield* v4.runs.untilTerminal(id)
    yield* check.equal(run.id, id, "the id")
    yield* check.that(
      "the status is terminal",
      terminalRunStatuses.some((status) => status === run.status),
      {
        expected: terminalRunStatuses.join(", "),
        actual: run.status
      }
    )
    const answer = yield* request("v4", { method: "GET", path: `/runs/${id}` })
    yield* check.that("the full run includes its result", Object.hasOwn(Object(answer.body), "result"), {
      expected: "a field result",
      actual: answer.text
    })
  }),
  scenario("a completed run has its result", scripted, function* (context) {
    const { run } = yield* finish(context, { output: "the red mug costs 12 EUR" })
    yield* check.equal(run.status, "completed", "status")
    yield* check.equal(run.result, "the red mug costs 12 EUR", "result")
  }),
  scenario("a result can be any JSON", scripted, function* (context) {
    for (const output of [
      { price: 12.5, currency: "EUR", tags: ["a", { b: null }] },
      [1, 2, 3],
      42,
      true,
      'æøå "]" 🐙'
    ]) {
      const { run } = yield* finish(context, { output })
      yield* check.deepEqual(run.result, output, "result")
    }
  }),
  scenario("a failed run has the status failed", scriptedReread, function* (context) {
    const { id, run } = yield* finish(context, { outcome: "failed", error: "no mug" })
    yield* check.equal(run.status, "failed", "status")
    yield* check.equal((yield* context.v4.runs.status(id)).status, "failed", "the cheap status")
  }),
  scenario("a cancelled run has the status cancelled", scriptedReread, function* (context) {
    const { id, run } = yield* finish(context, { outcome: "cancelled" })
    yield* check.equal(run.status, "cancelled", "status")
    yield* check.equal((yield* context.v4.runs.status(id)).status, "cancelled", "the cheap status")
  }),
  scenario("a finished run has the same status in both operations", scriptedReread, function* (context) {
    for (const outcome of ["completed", "failed", "cancelled"] as const) {
      const { id, run } = yield* finish(context, { outcome })
      const { status } = yield* context.v4.runs.status(id)
      yield* check.equal(status, outcome, "the cheap status")
      yield* check.equal(run.status, outcome, "the full run's status")
    }
  }),
  scenario("a running run isn't terminal and has no result", scriptedUnread, function* (context) {
    const { id, sessionId } = yield* start(context, { duration: atWork, output: "early bird" })
    yield* interruptAtEnd(context, sessionId)
    yield* until(context, id, "running")
    const running = yield* context.v4.runs.get(id)
    yield* check.equal(running.status, "running", "status")
    yield* check.equal(running.result ?? null, null, "result while running")
    yield* check.equal(running.finishedAt ?? null, null, "finishedAt while running")
  }),
  scenario("a terminal run doesn't change", scripted, function* (context) {
    const { id, run } = yield* finish(context, { output: "done" })
    yield* Effect.sleep("30 millis")
    yield* check.deepEqual(yield* context.v4.runs.get(id), run, "the run, read again")
  }),
  scenario("a run's status only moves forward", scriptedUnread, function* (context) {
    const { id } = yield* start(context, { duration: "120ms" })
    const seen = yield* context.v4.runs.watch(id).pipe(
      Stream.map((view) => view.status),
      Stream.runCollect
    )
    const order = seen.map((status) => runStatuses.findIndex((described) => described === status))
    yield* check.that(
      "each status comes after the one before",
      order.every((at, index) => at > (order[index - 1] ?? -1)),
      {
        expected: "queued, dispatching, running, then a terminal one",
        actual: seen.join(", ")
      }
    )
    yield* check.equal(seen.at(-1), "completed", "the last status")
  }),
  scenario("twenty runs at the same time get their own results", scripted, function* (context) {
    const words = Array.from({ length: 20 }, (_, index) => `result-${index}-${context.seed}`)
    const finished = yield* Effect.forEach(words, (output) => finish(context, { output }), { concurrency: 20 })
    yield* check.deepEqual(
      finished.map(({ run }) => run.result),
      words,
      "the results in the order of the runs"
    )
    yield* check.equal(new Set(finished.map(({ id }) => id)).size, 20, "the number of different ids")
    yield* check.equal(new Set(finished.map(({ sessionId }) => sessionId)).size, 20, "the number of different sessions")
  }),
  scenario("a timed-out wait has the run's id and last status", scriptedUnread, function* (context) {
    const { id, sessionId } = yield* start(context, { duration: long })
    yield* interruptAtEnd(context, sessionId)
    const error = yield* check.fails(context.v4.runs.untilTerminal(id, { timeout: "100 millis" }), "WaitTimeoutError")
    yield* check.equal(error.id, id, "the id")
    yield* check.that(
      "the last status is not terminal",
      !terminalRunStatuses.some((status) => status === error.lastStatus),
      {
        expected: "a status that is not terminal",
        actual: error.lastStatus
      }
    )
  }),
  scenario("a follow-up runs as the next turn", scripted, function* (context) {
    const first = yield* start(context, { duration: "150ms", output: "first" })
    const next = yield* queue(context, first.sessionId, { script: { output: "second" } })
    const second = yield* context.v4.runs.untilTerminal(next)
    const before = yield* context.v4.runs.get(first.id)
    yield* check.equal(before.status, "completed", "the first run, which was not disturbed")
    yield* check.equal(before.result, "first", "the first run's result")
    yield* check.equal(second.status, "completed", "the follow-up")
    yield* check.equal(second.result, "second", "the follow-up's result")
    yield* startsAfter(second, before)
  }),
  scenario("follow-ups run in order, one at a time", scripted, function* (context) {
    const first = yield* start(context, { duration: "80ms" })
    const ids = yield* Effect.forEach(["a", "b", "c"], (output) =>
      queue(context, first.sessionId, { text: output, script: { output, duration: "20ms" } })
    )
    const runs = yield* Effect.forEach([first.id, ...ids], (id) => context.v4.runs.untilTerminal(id), {
      concurrency: 4
    })
    yield* check.deepEqual(
      runs.slice(1).map((run) => run.result),
      ["a", "b", "c"],
      "the results"
    )
    for (const [index, run] of runs.entries()) {
      const before = runs[index - 1]
      if (before !== undefined) yield* startsAfter(run, before)
    }
  }),
  scenario("a follow-up waits for the previous turn", scriptedUnread, function* (context) {
    const first = yield* start(context, { duration: atWork })
    yield* interruptAtEnd(context, first.sessionId)
    yield* until(context, first.id, "running")
    const next = yield* queue(context, first.sessionId, {})
    yield* Effect.sleep("60 millis")
    const [running, waiting] = yield* Effect.all([context.v4.runs.get(first.id), context.v4.runs.get(next)])
    yield* check.equal(running.status, "running", "the first run")
    yield* check.equal(waiting.status, "queued", "the follow-up")
    yield* check.equal(waiting.startedAt ?? null, null, "the follow-up's startedAt")
  }),
  scenario("a follow-up to an idle session starts at once", scripted, function* (context) {
    const { sessionId } = yield* finish(context, { output: "first" })
    const next = yield* queue(context, sessionId, { script: { output: "second" } })
    const run = yield* context.v4.runs.untilTerminal(next, { timeout: atOnce })
    yield* check.equal(run.result, "second", "the follow-up's result")
  }),
  scenario("an interrupt runs immediately and cancels the current run", scripted, function* (context) {
    const first = yield* start(context, { duration: untilInterrupted })
    yield* until(context, first.id, "running")
    const next = yield* queue(context, first.sessionId, { interrupt: true, script: { output: "now" } })
    const run = yield* context.v4.runs.untilTerminal(next, { timeout: atOnce })
    const interrupted = yield* context.v4.runs.get(first.id)
    yield* check.equal(run.status, "completed", "the interrupting run")
    yield* check.equal(run.result, "now", "the interrupting run's result")
    yield* check.equal(interrupted.status, "cancelled", "the run that was interrupted")
    yield* check.equal(interrupted.result ?? null, null, "its result")
    yield* startsAfter(run, interrupted)
  }),
  scenario("an interrupt runs before waiting messages, which keep their order", scripted, function* (context) {
    const first = yield* start(context, { duration: untilInterrupted })
    yield* until(context, first.id, "running")
    const waiting = yield* Effect.forEach(["b", "c"], (output) =>
      queue(context, first.sessionId, { text: output, script: { output, duration: "10ms" } })
    )
    const urgent = yield* queue(context, first.sessionId, {
      text: "a",
      interrupt: true,
      script: { output: "a", duration: "30ms" }
    })
    const runs = yield* Effect.forEach(
      [urgent, ...waiting],
      (id) => context.v4.runs.untilTerminal(id, { timeout: atOnce }),
      {
        concurrency: 3
      }
    )
    yield* check.deepEqual(
      runs.map((run) => run.status),
      ["completed", "completed", "completed"],
      "all of them complete"
    )
    yield* check.deepEqual(
      runs.map((run) => run.result),
      ["a", "b", "c"],
      "the results"
    )
    for (const [index, run] of runs.entries()) {
      const before = runs[index - 1]
      if (before !== undefined) yield* startsAfter(run, before)
    }
    yield* check.equal((yield* context.v4.runs.get(first.id)).status, "cancelled", "the run that was interrupted")
  }),
  scenario("an interrupt of an idle session is its next turn", scripted, function* (context) {
    const first = yield* finish(context, { output: "first" })
    const next = yield* queue(context, first.sessionId, { interrupt: true, script: { output: "second" } })
    yield* check.equal((yield* context.v4.runs.untilTerminal(next)).result, "second", "the result")
    yield* check.equal((yield* context.v4.runs.get(first.id)).status, "completed", "the run before it")
  }),
  scenario("a message doesn't affect other sessions", scriptedUnread, function* (context) {
    const first = yield* start(context, { duration: "150ms", output: "mine" })
    const other = yield* start(context, { duration: "150ms", output: "yours" })
    yield* queue(context, first.sessionId, { interrupt: true })
    const run = yield* context.v4.runs.untilTerminal(other.id)
    yield* check.equal(run.status, "completed", "the other session's run")
    yield* check.equal(run.result, "yours", "its result")
  }),
  scenario("a follow-up's run belongs to the session and carries the text", scripted, function* (context) {
    const { sessionId } = yield* finish(context, {})
    const text = context.simulate('And a green one, søker på norsk\n"]"', { duration: "5ms" })
    const message = yield* context.v4.sessions.queue(sessionId, { text })
    const run = yield* context.v4.runs.untilTerminal(message.runId ?? "")
    yield* check.equal(run.sessionId, sessionId, "sessionId")
    yield* check.equal(run.task, text, "task")
  }),
  scenario("creating a run returns 201 with the run", oursUnread, function* ({ request, simulate }) {
    const task = simulate("Buy a mug", { duration: "5ms" })
    const answer = yield* request("v4", {
      method: "POST",
      path: "/runs",
      body: { task, modelParams: { effort: "low" }, more: 1 }
    })
    yield* check.status(answer, 201)
    const run = yield* check.schema(Run, answer.body)
    yield* check.equal(run.task, task, "task")
    yield* check.deepEqual(run.modelParams, { effort: "low" }, "modelParams")
    yield* check.that("a new run is not terminal", ["queued", "dispatching", "running"].includes(run.status), {
      expected: "queued, dispatching or running",
      actual: run.status
    })
    yield* check.equal(run.finishedAt, null, "finishedAt")
    yield* check.equal(run.result, null, "result")
  }),
  scenario("the status response has one field", oursReread, function* (context) {
    const { id } = yield* finish(context, {})
    const answer = yield* context.request("v4", { method: "GET", path: `/runs/${id}/status` })
    yield* check.status(answer, 200)
    yield* check.schema(RunStatusView, answer.body)
    yield* check.deepEqual(answer.body, { status: "completed" }, "the body")
  }),
  scenario("a run has every field and its times in order", ours, function* (context) {
    const { id, sessionId } = yield* finish(context, { cost: "0.0132", output: "x" })
    const answer = yield* context.request("v4", { method: "GET", path: `/runs/${id}` })
    yield* check.status(answer, 200)
    const run = yield* check.schema(Run, answer.body)
    const fields =
      "attachedFileIds contextLimit cost createdAt error finishedAt id judgement model modelParams result sessionId " +
      "startedAt status task title totalCostUsd totalInputTokens totalOutputTokens updatedAt workspaceId"
    yield* check.equal(Object.keys(run).toSorted().join(" "), fields, "the fields")
    yield* check.equal(run.sessionId, sessionId, "sessionId")
    yield* check.equal(run.cost, "0.0132", "cost, a decimal string")
    yield* check.equal(run.error, null, "error")
    for (const moment of [run.createdAt, run.startedAt, run.finishedAt]) {
      yield* check.match(moment, /Z$/u, "a time in UTC with Z")
    }
    yield* check.that(
      "createdAt, startedAt and finishedAt are in order",
      time(run.createdAt) <= time(run.startedAt) && time(run.startedAt) <= time(run.finishedAt),
      { expected: "each at or after the one before", actual: [run.createdAt, run.startedAt, run.finishedAt].join(", ") }
    )
  }),
  scenario("an unscripted cost is a decimal string", ours, function* ({ v4 }) {
    const run = yield* v4.runs.createAndWait({ task: `Buy mug number ${yield* Random.nextIntBetween(1, 1000)}` })
    yield* check.match(run.cost, decimalPattern, "cost")
  }),
  scenario("a failed run has an error and no result", ours, function* (context) {
    const { run } = yield* finish(context, { outcome: "failed", error: "no mug in stock" })
    yield* check.equal(run.error, "no mug in stock", "error")
    yield* check.equal(run.result, null, "result")
  }),
  scenario("a failed turn does not end its session", ours, function* (context) {
    const { sessionId } = yield* finish(context, { outcome: "failed" })
    const next = yield* queue(context, sessionId, { script: { output: "second try" } })
    yield* check.equal((yield* context.v4.runs.untilTerminal(next)).result, "second try", "the follow-up's result")
  }),
  scenario("a message to a stopped session returns 409", ours, function* (context) {
    const { sessionId } = yield* finish(context, { keepAlive: false })
    const error = yield* check.fails(context.v4.sessions.queue(sessionId, { text: "more" }), "ConflictError")
    yield* check.that("detail says something", error.detail !== "")
    const body = { text: "more", interrupt: true }
    const answer = yield* context.request("v4", { method: "POST", path: `/sessions/${sessionId}/queue`, body })
    yield* check.status(answer, 409)
  }),
  scenario("queueing a message returns 201 with the message", oursUnread, function* (context) {
    const { sessionId } = yield* start(context, { duration: long })
    const runIds: Array<string> = []
    for (const interrupt of [false, true]) {
      const body = { text: context.simulate("more", { duration: "5ms" }), interrupt }
      const answer = yield* context.request("v4", { method: "POST", path: `/sessions/${sessionId}/queue`, body })
      yield* check.status(answer, 201)
      const message = yield* check.schema(QueuedMessage, answer.body)
      yield* check.equal(message.sessionId, sessionId, "sessionId")
      yield* check.equal(message.text, body.text, "text")
      yield* check.equal(message.mode, interrupt ? "interrupt" : "queue", "mode")
      yield* check.that("id and runId are there", message.id !== undefined && typeof message.runId === "string")
      if (typeof message.runId === "string") runIds.push(message.runId)
    }
    // nothing keeps running after the scenario
    for (const runId of runIds) yield* context.v4.runs.untilTerminal(runId)
  })
])
