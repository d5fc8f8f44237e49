import {
  BrowserList,
  Run,
  RunEvents,
  RunList,
  QueuedMessage,
  QueuedMessages,
  SessionInfo,
  SessionList
} from "@webagent/contract/v4"
import { check, scenario, type ScenarioContext, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import { atWork, finish, start, until } from "./ScriptedRun.ts"
import { unknownId } from "./Operations.ts"

const paid = { needs: ["money", "extensions"] } as const
const scripted = { needs: ["money", "extensions", "scriptable-agent"] } as const
const scriptedUnread = { ...scripted, allows: ["results-never-fetched"] } as const
const ours = { needs: ["extensions", "assumptions"] } as const

type Request = ScenarioContext["request"]

const cancel = (request: Request, id: string) => request("v4", { method: "POST", path: `/runs/${id}/cancel` })

const get = Effect.fnUntraced(function* (request: Request, path: string) {
  const answer = yield* request("v4", { method: "GET", path })
  yield* check.status(answer, 200)
  return answer.body
})

/** Walks the pages of a session's runs; fails if they don't end. */
const runsOf = Effect.fnUntraced(function* (request: Request, sessionId: string, limit: number) {
  const ids: Array<string> = []
  let cursor: string | undefined
  for (let page = 0; page < 20; page++) {
    const query = `sessionId=${sessionId}&limit=${limit}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    const list = yield* check.schema(RunList, yield* get(request, `/runs?${query}`), "a page of runs")
    yield* check.that("a page has at most as many runs as its limit", list.runs.length <= limit)
    ids.push(...list.runs.map(({ id }) => id))
    if (typeof list.nextCursor !== "string") return ids
    cursor = list.nextCursor
  }
  return yield* check.that("the pages come to an end", false).pipe(Effect.as(ids))
})

/** Queues a message that its session does once the running turn has ended. */
const queue = Effect.fnUntraced(function* ({ request, simulate }: ScenarioContext, sessionId: string, text: string) {
  const body = { text: simulate(text, { duration: "5ms" }), interrupt: false }
  const answer = yield* request("v4", { method: "POST", path: `/sessions/${sessionId}/queue`, body })
  yield* check.status(answer, "2xx")
  return yield* check.schema(QueuedMessage, answer.body, "the queued message")
})

/** Starts a run that keeps running until the scenario finishes and cancels it. */
const running = Effect.fnUntraced(function* (context: ScenarioContext) {
  const run = yield* start(context, { duration: atWork })
  yield* Effect.addFinalizer(() => Effect.ignore(cancel(context.request, run.id)))
  yield* until(context, run.id, "running")
  return run
})

export default Suite.make("extensions", [
  scenario("GET /runs lists a new run first", paid, function* ({ request, v4 }) {
    const { id } = yield* v4.runs.createAndWait({ task: "Say hello" })
    const list = yield* check.schema(RunList, yield* get(request, "/runs"), "a page of runs")
    const listed = list.runs.find((run) => run.id === id)
    yield* check.that("the run is listed", listed !== undefined, { expected: id, actual: list.runs[0]?.id })
    yield* check.equal(listed?.status, (yield* v4.runs.get(id)).status, "its status")
  }),
  scenario("pages of GET /runs contain each run of a session once, newest first", scripted, function* (context) {
    const { id, sessionId } = yield* finish(context, {})
    const ids = [id]
    for (const text of ["Buy a blue one", "And a green one"]) {
      const { runId } = yield* context.v4.sessions.queue(sessionId, {
        text: context.simulate(text, { duration: "5ms" })
      })
      yield* check.that("the response names the run", typeof runId === "string")
      ids.push((yield* context.v4.runs.untilTerminal(runId ?? "")).id)
    }
    for (const limit of [1, 2, 50]) {
      yield* check.deepEqual(yield* runsOf(context.request, sessionId, limit), ids.toReversed(), `in pages of ${limit}`)
    }
  }),
  scenario("canceling a running run makes it cancelled", scriptedUnread, function* (context) {
    const { id } = yield* running(context)
    const answer = yield* cancel(context.request, id)
    yield* check.status(answer, 200)
    yield* check.equal((yield* check.schema(Run, answer.body, "the run")).id, id, "the id")
    yield* until(context, id, "cancelled")
  }),
  scenario("canceling a finished run keeps its result", scripted, function* (context) {
    const { id, run } = yield* finish(context, { output: "a red mug" })
    const { status } = yield* cancel(context.request, id)
    yield* check.that("the response is 200 or 409", status === 200 || status === 409, {
      expected: "200 or 409",
      actual: status
    })
    yield* check.deepEqual(yield* context.v4.runs.get(id), run, "the run, read again")
  }),
  scenario("canceling an unknown run returns 404", ours, function* ({ request }) {
    const answer = yield* cancel(request, yield* unknownId)
    yield* check.status(answer, 404)
    yield* check.deepEqual(answer.body, { detail: "Run not found" }, "the body")
  }),
  scenario("a session is listed with its latest run, and read by its id", scripted, function* (context) {
    const { id, sessionId } = yield* finish(context, {})
    const list = yield* check.schema(SessionList, yield* get(context.request, "/sessions"), "a page of sessions")
    const listed = list.sessions.find((session) => session.sessionId === sessionId)
    yield* check.equal(listed?.latestRunId, id, "the latest run in the list")
    const session = yield* check.schema(SessionInfo, yield* get(context.request, `/sessions/${sessionId}`), "a session")
    yield* check.equal(session.latestRunId, id, "the latest run")
  }),
  scenario("a pending message is listed, read and removed", scriptedUnread, function* (context) {
    const { request } = context
    const { sessionId } = yield* running(context)
    const path = `/sessions/${sessionId}/queue`
    const first = yield* queue(context, sessionId, "And a blue one")
    const second = yield* queue(context, sessionId, "And a green one")
    const pending = Effect.flatMap(get(request, path), (body) => check.schema(QueuedMessages, body, "the queue"))
    yield* check.deepEqual(
      (yield* pending).queue.map((message) => message.id),
      [first.id, second.id],
      "the pending messages in their order"
    )
    const read = yield* check.schema(QueuedMessage, yield* get(request, `${path}/${first.id}`), "the message")
    yield* check.equal(read.status, "pending", "its status")
    const removed = yield* request("v4", { method: "DELETE", path: `${path}/${first.id}` })
    yield* check.status(removed, 200)
    yield* check.deepEqual(
      (yield* pending).queue.map((message) => message.id),
      [second.id],
      "the messages that are left"
    )
    yield* check.status(yield* request("v4", { method: "DELETE", path: `${path}/${second.id}` }), 200)
  }),
  scenario("a run's events have ascending numbers and end with its outcome", scripted, function* (context) {
    const { id } = yield* finish(context, {})
    const path = `/runs/${id}/events`
    const all = yield* check.schema(RunEvents, yield* get(context.request, path), "a page of events")
    const numbers = all.events.map((event) => event.id)
    yield* check.that(
      "the numbers ascend",
      numbers.every((number, index) => number > (numbers[index - 1] ?? -1)),
      {
        expected: "each number above the one before",
        actual: numbers
      }
    )
    yield* check.equal(all.events.at(-1)?.type, "run.completed", "the last event")
    const after = yield* get(context.request, `${path}?after=${numbers.at(-2) ?? 0}`)
    const rest = yield* check.schema(RunEvents, after, "the events after the last but one")
    yield* check.deepEqual(
      rest.events.map((event) => event.id),
      numbers.slice(-1),
      "the numbers after the last but one"
    )
  }),
  scenario("GET /browsers lists a running browser", paid, function* ({ request, v4 }) {
    const browser = yield* v4.browsers.acquire()
    const list = yield* check.schema(BrowserList, yield* get(request, "/browsers"), "a page of browsers")
    const ids = list.items.map(({ id }) => id)
    yield* check.that("the browser is listed", ids.includes(browser.id), { expected: browser.id, actual: ids })
  }),
  scenario("a limit outside of 1 to 100 returns 422", ours, function* ({ request }) {
    for (const path of ["/runs", "/sessions"]) {
      for (const limit of ["0", "101", "many"]) {
        yield* check.status(yield* request("v4", { method: "GET", path: `${path}?limit=${limit}` }), 422)
      }
    }
  }),
  scenario("a cursor of another list returns 400", ours, function* ({ request }) {
    for (const path of ["/runs", "/sessions"]) {
      yield* check.status(yield* request("v4", { method: "GET", path: `${path}?cursor=bm90IG91cnM` }), 400)
    }
  })
])
