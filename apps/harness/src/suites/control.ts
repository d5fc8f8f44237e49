import { Browser } from "@webagent/contract/v4"
import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { finish, start } from "./ScriptedRun.ts"

const driven = { needs: ["control-api", "scriptable-agent"] } as const
const lost = { kind: "reset", placement: "after-apply" } as const

export default Suite.make("control", [
  scenario("a wait fails when its run is cancelled through the control API", driven, function* (context) {
    const { control, v4 } = context
    const { id } = yield* start(context, { duration: "1h" })
    yield* Effect.forkScoped(control.cancelRun(id))
    const error = yield* check.fails(v4.runs.untilTerminal(id, { result: Schema.String }), "RunCancelledError")
    yield* check.equal(error.run.id, id, "the run of the error")
  }),
  scenario("stopping a session cancels its run", driven, function* (context) {
    const { control, v2, v4 } = context
    const { id, sessionId } = yield* start(context, { duration: "1h" })
    yield* control.stopSession(sessionId)
    yield* check.equal((yield* v4.runs.untilTerminal(id)).status, "cancelled", "the run's status")
    yield* check.equal((yield* v2.sessions.get(sessionId)).status, "stopped", "the session's status")
  }),
  scenario("a message is sent once when its response is lost", driven, function* (context) {
    const { control, simulate, v2, v4 } = context
    const { sessionId } = yield* finish(context, {})
    yield* control.inject({ fault: lost, resource: sessionId, operations: ["v4.queueMessage"] })
    const text = simulate("And a blue one", { duration: "5ms" })
    const error = yield* check.fails(v4.sessions.queue(sessionId, { text }), "CreateOutcomeUnknown")
    yield* check.that("the error keeps the key of the message", error.key !== "")
    const sent = (yield* control.journal(sessionId)).filter(({ type }) => type === "request")
    yield* check.equal(
      sent.filter((row) => "operation" in row && row.operation === "v4.queueMessage").length,
      1,
      "how often the message was sent"
    )
    yield* check.equal((yield* v2.sessions.get(sessionId)).tasks.length, 2, "the session's tasks")
  }),
  scenario("a message is queued once when it is sent again with its key", driven, function* (context) {
    const { control, simulate, v2, v4 } = context
    const { sessionId } = yield* finish(context, {})
    yield* control.inject({ fault: lost, resource: sessionId, operations: ["v4.queueMessage"], attempts: [1] })
    const text = simulate("And a blue one", { duration: "5ms" })
    const first = yield* check.fails(v4.sessions.queue(sessionId, { text }), "CreateOutcomeUnknown")
    const { runId } = yield* v4.sessions.queue(sessionId, { text }, { idempotencyKey: first.key })
    yield* v4.runs.untilTerminal(runId ?? "")
    yield* check.equal((yield* v2.sessions.get(sessionId)).tasks.length, 2, "the session's tasks")
  }),
  scenario("a wait survives failed polls", driven, function* (context) {
    const { control, v4 } = context
    const { id } = yield* start(context, { duration: "30ms" })
    yield* control.inject({
      fault: { kind: "status", status: 503, retryAfter: "10 millis" },
      resource: id,
      operations: ["v4.getRunStatus"],
      attempts: [1, 2]
    })
    yield* check.equal((yield* v4.runs.untilTerminal(id)).status, "completed", "the run's status")
    const faults = (yield* control.journal(id)).filter(({ type }) => type === "fault")
    yield* check.that("a poll has failed", faults.length > 0)
  }),
  scenario("a browser keeps running when its connections break", driven, function* ({ cdp, control, v4 }) {
    const browser = yield* check.schema(Browser, yield* v4.browsers.acquire(), "the browser")
    const connection = yield* cdp(browser.cdpUrl)
    yield* connection.send("Browser.getVersion")
    yield* control.dropConnections(browser.id)
    yield* Effect.timeout(connection.closed, "5 seconds")
    const again = yield* cdp(browser.cdpUrl)
    yield* check.that("it responds again", (yield* again.send("Browser.getVersion")) !== undefined)
  })
])
