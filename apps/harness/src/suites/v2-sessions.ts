import { decimalPattern, Uuid } from "@webagent/contract"
import { SessionView, type TaskItemView } from "@webagent/contract/v2"
import { sessionStatuses, taskStatuses } from "@webagent/contract/Wire"
import { check, scenario, type ScenarioContext, Suite, type TaskScript } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Operations from "./Operations.ts"
import {
  atWork,
  finish as finishRun,
  interruptAtEnd,
  long,
  start as startRun,
  until,
  untilInterrupted
} from "./ScriptedRun.ts"

const readable = { needs: ["v2-session"] } as const
const scripted = { needs: ["v2-session", "scriptable-agent", "shared-sessions"] } as const
const scriptedUnread = { ...scripted, allows: ["results-never-fetched"] } as const
const ours = { needs: ["v2-session", "scriptable-agent", "shared-sessions", "assumptions"] } as const

const sessionFields =
  "finishedAt id keepAlive liveUrl persistMemory proxyCost proxyUsedMb publicShareUrl recordingUrl startedAt status tasks"
const taskFields =
  "cost createdAt finishedAt id isSuccess judgeVerdict judgement llm metadata output serviceVersion sessionId startedAt status suggestions task"

const naive = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/u

/** The body as it is on the wire: the described fields, with nothing filled in. */
const Body = Schema.Record(Schema.String, Schema.Unknown)
const Tasks = Schema.Array(Body)

/** The id of a session that v2 shows: the given one, or one made through v4. */
const someSession = (context: ScenarioContext) =>
  context.target.v2SessionId === undefined
    ? Effect.map(
        context.v4.runs.createAndWait({ task: "Say hello" }),
        ({ sessionId }) => sessionId ?? "the run has no sessionId"
      )
    : Effect.succeed(context.target.v2SessionId)

const read = Effect.fnUntraced(function* (context: ScenarioContext, id: string) {
  const answer = yield* context.request("v2", { method: "GET", path: `/sessions/${id}` })
  yield* check.status(answer, 200)
  const body = yield* check.schema(Body, answer.body)
  return { body, tasks: yield* check.schema(Tasks, body["tasks"], "tasks") }
})

/** A session of one turn that has done what the script says, as the v2 client reads it. */
const finish = Effect.fnUntraced(function* (context: ScenarioContext, script: TaskScript) {
  const { sessionId } = yield* finishRun(context, script)
  return only(yield* context.v2.sessions.get(sessionId))
})

const none: Partial<TaskItemView> = {}

const only = (session: SessionView): { readonly session: SessionView; readonly task: Partial<TaskItemView> } => ({
  session,
  task: session.tasks.length === 1 ? (session.tasks[0] ?? none) : none
})

/** The described type of each field that is not required: what it is when it is there and not null. */
const optional: Readonly<Record<string, { readonly type: string; readonly nullable: boolean }>> = {
  liveUrl: { type: "string", nullable: true },
  recordingUrl: { type: "string", nullable: true },
  finishedAt: { type: "string", nullable: true },
  publicShareUrl: { type: "string", nullable: true },
  persistMemory: { type: "boolean", nullable: false },
  keepAlive: { type: "boolean", nullable: false },
  proxyUsedMb: { type: "string", nullable: false },
  proxyCost: { type: "string", nullable: false }
}

const optionalInTask: typeof optional = {
  startedAt: { type: "string", nullable: true },
  finishedAt: { type: "string", nullable: true },
  metadata: { type: "object", nullable: false },
  output: { type: "string", nullable: true },
  serviceVersion: { type: "string", nullable: true },
  isSuccess: { type: "boolean", nullable: true },
  judgement: { type: "string", nullable: true },
  judgeVerdict: { type: "boolean", nullable: true },
  cost: { type: "string", nullable: true },
  suggestions: { type: "object", nullable: true }
}

const typed = Effect.fnUntraced(function* (body: typeof Body.Type, fields: typeof optional) {
  for (const [field, { nullable, type }] of Object.entries(fields)) {
    const value = body[field]
    if (!Object.hasOwn(body, field) || (nullable && value === null)) continue
    yield* check.that(`${field} is of its described type`, value !== null && typeof value === type, {
      expected: `${type}${nullable ? " or null" : ""}`,
      actual: value
    })
  }
})

export default Suite.make("v2-sessions", [
  scenario("a session has every required field with its described type", readable, function* (context) {
    const id = yield* someSession(context)
    const { body } = yield* read(context, id)
    yield* check.schema(SessionView, body, "a SessionView")
    for (const field of ["id", "status", "startedAt", "tasks"]) {
      yield* check.that(`${field} is there`, Object.hasOwn(body, field), { expected: field, actual: body })
    }
    yield* check.equal(String(body["id"]).toLowerCase(), id.toLowerCase(), "the id that was asked for")
    yield* check.that(
      "status is a described one",
      sessionStatuses.some((status) => status === body["status"]),
      {
        expected: sessionStatuses.join(" or "),
        actual: body["status"]
      }
    )
    yield* typed(body, optional)
  }),
  scenario("a task has every required field with its described type", readable, function* (context) {
    const id = yield* someSession(context)
    const { tasks } = yield* read(context, id)
    for (const task of tasks) {
      for (const field of ["id", "sessionId", "llm", "task", "status", "createdAt"]) {
        yield* check.that(`${field} is there, a text`, typeof task[field] === "string", {
          expected: field,
          actual: task
        })
      }
      yield* check.schema(Uuid, task["id"], "a task's id, a uuid")
      yield* check.equal(String(task["sessionId"]).toLowerCase(), id.toLowerCase(), "a task's sessionId")
      yield* check.that(
        "status is a described one",
        taskStatuses.some((status) => status === task["status"]),
        {
          expected: taskStatuses.join(", "),
          actual: task["status"]
        }
      )
      yield* typed(task, optionalInTask)
    }
  }),
  scenario("task times are naive UTC", readable, function* (context) {
    const { tasks } = yield* read(context, yield* someSession(context))
    for (const task of tasks) {
      for (const field of ["createdAt", "startedAt", "finishedAt"]) {
        if (typeof task[field] === "string") yield* check.match(task[field], naive, `${field}, without an offset`)
      }
    }
  }),
  scenario("amounts are decimal numbers as text", readable, function* (context) {
    const { body, tasks } = yield* read(context, yield* someSession(context))
    for (const value of [body["proxyUsedMb"], body["proxyCost"], ...tasks.map((task) => task["cost"])]) {
      if (value !== undefined && value !== null) yield* check.match(value, decimalPattern, "an amount")
    }
  }),
  scenario("finishedAt is null exactly while a session is active", readable, function* (context) {
    const { body } = yield* read(context, yield* someSession(context))
    yield* check.equal((body["finishedAt"] ?? null) === null, body["status"] === "active", "finishedAt is null")
  }),
  scenario("the client fills in the described defaults", readable, function* (context) {
    const session = yield* context.v2.sessions.get(yield* someSession(context))
    yield* check.equal(typeof session.keepAlive, "boolean", "the type of keepAlive")
    yield* check.equal(typeof session.persistMemory, "boolean", "the type of persistMemory")
    yield* check.match(session.proxyUsedMb, decimalPattern, "proxyUsedMb")
    yield* check.match(session.proxyCost, decimalPattern, "proxyCost")
    for (const task of session.tasks) yield* check.equal(typeof task.metadata, "object", "the type of metadata")
  }),
  scenario("an unknown session returns the described 404", function* ({ request }) {
    const answer = yield* request("v2", { method: "GET", path: `/sessions/${yield* Operations.unknownId}` })
    yield* check.status(answer, 404)
    const { detail } = yield* check.schema(Schema.Struct({ detail: Schema.String }), answer.body, "{ detail }")
    yield* check.equal(detail, "Session not found", "detail, which has this for a default")
  }),
  scenario("an id that isn't a UUID returns the described 422", function* ({ request }) {
    const answer = yield* request("v2", { method: "GET", path: "/sessions/no-uuid" })
    yield* check.status(answer, 422)
    const Entry = Schema.Struct({
      loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
      msg: Schema.String,
      type: Schema.String
    })
    yield* check.schema(Schema.Struct({ detail: Schema.NonEmptyArray(Entry) }), answer.body, "an HTTPValidationError")
  }),
  scenario("a completed run is a finished task with its output", scripted, function* (context) {
    const { task } = yield* finish(context, { output: "12 EUR", success: true })
    yield* check.equal(task.status, "finished", "status")
    yield* check.equal(task.output, "12 EUR", "output")
    yield* check.equal(task.isSuccess, true, "isSuccess")
    yield* check.match(task.finishedAt, naive, "finishedAt")
  }),
  scenario("a failed run is a failed task", scripted, function* (context) {
    const { task } = yield* finish(context, { outcome: "failed" })
    yield* check.equal(task.status, "failed", "status")
    yield* check.match(task.finishedAt, naive, "finishedAt")
  }),
  scenario("a cancelled run is a stopped task", scripted, function* (context) {
    const { task } = yield* finish(context, { outcome: "cancelled" })
    yield* check.equal(task.status, "stopped", "status")
  }),
  scenario("a running task is started, without an end or output", scriptedUnread, function* (context) {
    const { id, sessionId } = yield* startRun(context, { duration: atWork, output: "late" })
    yield* interruptAtEnd(context, sessionId)
    yield* until(context, id, "running")
    const { session, task } = only(yield* context.v2.sessions.get(sessionId))
    yield* check.equal(session.status, "active", "the session's status")
    yield* check.equal(session.finishedAt, null, "the session's finishedAt")
    yield* check.equal(task.status, "started", "status")
    yield* check.match(task.startedAt, naive, "startedAt")
    yield* check.equal(task.finishedAt, null, "finishedAt")
    yield* check.equal(task.output, null, "output")
  }),
  scenario("a waiting task is created, without a start", scriptedUnread, function* (context) {
    const { sessionId } = yield* startRun(context, { duration: long })
    yield* interruptAtEnd(context, sessionId)
    yield* context.v4.sessions.queue(sessionId, { text: context.simulate("And a blue one", { duration: "5ms" }) })
    const waiting = (yield* context.v2.sessions.get(sessionId)).tasks[1]
    yield* check.equal(waiting?.status, "created", "status")
    yield* check.equal(waiting?.startedAt, null, "startedAt")
    yield* check.equal(waiting?.finishedAt, null, "finishedAt")
  }),
  scenario("tasks are in order of creation", scripted, function* (context) {
    const { sessionId } = yield* startRun(context, { duration: "30ms", output: "a" })
    for (const output of ["b", "c"]) {
      const text = context.simulate(output, { duration: "5ms", output })
      yield* context.v4.sessions.queue(sessionId, { text })
    }
    const session = yield* context.v2.sessions.untilTerminal(sessionId)
    yield* check.deepEqual(
      session.tasks.map((task) => task.output),
      ["a", "b", "c"],
      "the outputs"
    )
    yield* check.deepEqual(
      session.tasks.map((task) => task.status),
      ["finished", "finished", "finished"],
      "the statuses"
    )
    yield* check.deepEqual(
      session.tasks.map((task) => task.sessionId),
      Array(3).fill(sessionId),
      "the sessions"
    )
  }),
  scenario("the agent's own report doesn't change the status", scripted, function* (context) {
    const { task } = yield* finish(context, { outcome: "completed", success: false })
    yield* check.equal(task.status, "finished", "status")
    yield* check.equal(task.isSuccess, false, "isSuccess")
  }),
  scenario("a judge's verdict comes with its report as JSON text", scripted, function* (context) {
    for (const judge of [true, false]) {
      const { task } = yield* finish(context, { judge })
      yield* check.equal(task.judgeVerdict, judge, "judgeVerdict")
      yield* check.schema(Schema.fromJsonString(Body), task.judgement, "judgement, a JSON object as text")
    }
  }),
  scenario("without a judge there is no verdict", scripted, function* (context) {
    const { task } = yield* finish(context, {})
    yield* check.equal(task.judgeVerdict, null, "judgeVerdict")
    yield* check.equal(task.judgement, null, "judgement")
  }),
  scenario("suggestions are a list of objects", scripted, function* (context) {
    const { task } = yield* finish(context, { suggestions: 3 })
    yield* check.equal(task.suggestions?.length, 3, "the number of suggestions")
    yield* check.equal((yield* finish(context, {})).task.suggestions, null, "suggestions, when there are none")
  }),
  scenario("a task has the cost of its run", scripted, function* (context) {
    const { task } = yield* finish(context, { cost: "0.0132" })
    yield* check.equal(task.cost, "0.0132", "cost")
  }),
  scenario("proxy data is a decimal number of MB", scripted, function* (context) {
    const { session } = yield* finish(context, { proxyMb: "12.5" })
    yield* check.equal(session.proxyUsedMb, "12.5", "proxyUsedMb")
    yield* check.match(session.proxyCost, decimalPattern, "proxyCost")
  }),
  scenario("a session stays alive and keeps its memory by default", scripted, function* (context) {
    const { session } = yield* finish(context, {})
    yield* check.equal(session.keepAlive, true, "keepAlive")
    yield* check.equal(session.persistMemory, true, "persistMemory")
    yield* check.equal(session.status, "active", "status")
    yield* check.equal(session.finishedAt, null, "finishedAt")
    yield* check.equal(session.proxyUsedMb, "0", "proxyUsedMb")
    yield* check.equal(session.proxyCost, "0", "proxyCost")
    yield* check.equal(session.recordingUrl, null, "recordingUrl")
  }),
  scenario("a session without memory reports it", scripted, function* (context) {
    yield* check.equal((yield* finish(context, { persistMemory: false })).session.persistMemory, false, "persistMemory")
  }),
  scenario("a session without keepAlive stops after its task", scripted, function* (context) {
    const { session } = yield* finish(context, { keepAlive: false })
    yield* check.equal(session.keepAlive, false, "keepAlive")
    yield* check.equal(session.status, "stopped", "status")
    yield* check.that("finishedAt is not before startedAt", (session.finishedAt ?? "") >= session.startedAt, {
      expected: `at or after ${session.startedAt}`,
      actual: session.finishedAt
    })
  }),
  scenario("a requested recording is available after the run", scripted, function* (context) {
    const { session } = yield* finish(context, { recording: true, keepAlive: false })
    yield* check.match(session.recordingUrl, /^https?:\/\//u, "recordingUrl after the end")
    const active = yield* finish(context, { recording: true, keepAlive: true })
    yield* check.equal(active.session.recordingUrl, null, "recordingUrl while active")
    const unasked = yield* finish(context, { keepAlive: false })
    yield* check.equal(unasked.session.recordingUrl, null, "recordingUrl when none was asked for")
  }),
  scenario("waiting for a session waits for all of its tasks", scripted, function* (context) {
    const { sessionId } = yield* startRun(context, { duration: "100ms" })
    yield* context.v4.sessions.queue(sessionId, {
      text: context.simulate("more", { duration: "100ms", output: "last" })
    })
    const session = yield* context.v2.sessions.untilTerminal(sessionId)
    yield* check.equal(session.tasks.length, 2, "the number of tasks")
    yield* check.equal(session.tasks[1]?.output, "last", "the last task's output")
  }),
  scenario("our servers send every field", ours, function* (context) {
    const { sessionId } = yield* finishRun(context, { output: "x" })
    const { body, tasks } = yield* read(context, sessionId)
    yield* check.equal(Object.keys(body).toSorted().join(" "), sessionFields, "a session's fields")
    for (const task of tasks) {
      yield* check.equal(Object.keys(task).toSorted().join(" "), taskFields, "a task's fields")
      yield* check.deepEqual(task["metadata"], {}, "metadata")
      yield* check.match(task["createdAt"], /\.\d{6}$/u, "createdAt, with six digits of seconds")
    }
    yield* check.match(body["startedAt"], /Z$/u, "startedAt, in UTC with Z")
    yield* check.equal(body["publicShareUrl"], null, "publicShareUrl")
  }),
  scenario("an id in capitals finds the same session", ours, function* (context) {
    const { sessionId } = yield* finishRun(context, {})
    const { body } = yield* read(context, sessionId.toUpperCase())
    yield* check.equal(body["id"], sessionId, "the id")
  }),
  scenario("an output that isn't text is JSON", ours, function* (context) {
    const { task } = yield* finish(context, { output: { price: 12 } })
    yield* check.schema(Schema.fromJsonString(Schema.Struct({ price: Schema.Literal(12) })), task.output, "output")
  }),
  scenario("an interrupted task is stopped and not resumed", ours, function* (context) {
    const { id, sessionId } = yield* startRun(context, { duration: untilInterrupted })
    yield* until(context, id, "running")
    const text = context.simulate("instead", { duration: "5ms" })
    yield* context.v4.sessions.queue(sessionId, { text, interrupt: true })
    const session = yield* context.v2.sessions.get(sessionId).pipe(
      Effect.repeat({
        until: ({ tasks }) => tasks[1]?.status === "finished",
        schedule: Schedule.spaced("10 millis")
      })
    )
    yield* check.equal(session.tasks[0]?.status, "stopped", "the interrupted task's status")
    yield* check.equal(session.tasks[0]?.id, id, "the interrupted task's id, the run's")
  })
])
