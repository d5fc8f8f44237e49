import { assert, describe, it } from "@effect/vitest"
import { RunNotFoundError } from "@webagent/contract"
import { V2Operations } from "@webagent/contract/v2"
import { V4Operations } from "@webagent/contract/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { CallOptions, ContractClient, RetryPolicy, TooManyRequestsError, TransportError } from "../src/index.ts"
import { layer } from "./client.ts"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"

const run = { id: "r-1", status: "running", later: { kept: [1] }, cost: { amount: 1 } }
const received = { id: "r-1", status: "running", raw: { later: { kept: [1] }, cost: { amount: 1 } } }

const getRun = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.get({ params: { run_id: "r-1" } })
)
const createRun = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.create({ payload: { task: "t" } })
)

const answering = (...answers: ReadonlyArray<Answer>) =>
  Effect.map(ScriptedServer, (server) => {
    server.script = (_, count) => answers[Math.min(count, answers.length) - 1] ?? {}
    return server
  })

const failureOf = (answer: Answer) => Effect.andThen(answering(answer), Effect.flip(createRun))

/** The same at a service that is known to refuse before it acts, once. */
const refusalOf = (answer: Answer) => Effect.provideService(failureOf(answer), RetryPolicy.Current, RetryPolicy.none)

const refusing = layer({ target: { refusals: "before-acting" } })

describe("ContractClient", () => {
  it.live.each([200, 201, 202, 203, 299])(
    "accepts %i as a success and keeps unknown and mistyped fields under raw",
    (status) =>
      Effect.gen(function* () {
        yield* answering({ status, json: run })
        assert.deepStrictEqual<unknown>(yield* getRun, received)
        assert.deepStrictEqual<unknown>(yield* createRun, received)
      }).pipe(Effect.provide(layer()))
  )

  it.live("sends fields that aren't described", () =>
    Effect.gen(function* () {
      const server = yield* answering({ json: run })
      const api = yield* ContractClient.make("v4", V4Operations)
      yield* api.runs
        .create({ payload: { task: "t", modelParams: { effort: "high" } } })
        .pipe(CallOptions.provide({ extraBody: { beta: true } }))
      assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), {
        task: "t",
        modelParams: { effort: "high" },
        beta: true
      })
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    [
      401,
      { detail: "No such key" },
      "UnauthorizedError",
      "No such key. Check the API key, and the header that carries it"
    ],
    [413, { detail: "Too large." }, "ContentTooLargeError", "Too large. Send less"],
    [
      422,
      { detail: [{ loc: ["body", "task"], msg: "too short", type: "x" }] },
      "HTTPValidationError",
      "body.task: too short. Change the request"
    ],
    [429, { detail: "Slow down" }, "TooManyRequestsError", "Slow down: try again later, or do less at once"]
  ] as const)("%i is a described error that names its call", ([status, json, tag, message]) =>
    Effect.gen(function* () {
      const error = yield* refusalOf({ status, json })
      const server = yield* ScriptedServer
      const { headers } = server.requests[0] ?? {}
      // a create that is to be sent again later keeps its key
      const key = status === 429 ? ` Idempotency key "${String(headers?.["idempotency-key"])}".` : ""
      const request = `Request id ${String(headers?.["x-request-id"])}.${key}`
      assert.deepStrictEqual(
        [error._tag, error.message],
        [tag, `POST ${server.address}/api/v4/runs: status ${status}, ${message}. ${request}`]
      )
    }).pipe(Effect.provide(refusing))
  )

  it.live.each([401, 429])("%i is the same error without the described body", (status) =>
    Effect.gen(function* () {
      for (const text of ["", "<html>", '{"error":"x"}', "[]"]) {
        const error = yield* refusalOf({ status, text })
        assert.strictEqual(error._tag, status === 401 ? "UnauthorizedError" : "TooManyRequestsError", text)
      }
    }).pipe(Effect.provide(refusing))
  )

  it.live("429 carries Retry-After as a duration", () =>
    Effect.gen(function* () {
      const error = yield* refusalOf({ status: 429, json: { detail: "x" }, headers: { "retry-after": "7" } })
      assert.instanceOf(error, TooManyRequestsError)
      assert.strictEqual(error._tag === "TooManyRequestsError" && Duration.toMillis(error.retryAfter ?? 0), 7000)
      const without = yield* refusalOf({ status: 429, json: { detail: "x" }, headers: { "retry-after": "soon" } })
      assert.isUndefined(without._tag === "TooManyRequestsError" ? without.retryAfter : 0)
    }).pipe(Effect.provide(refusing))
  )

  it.live.each([429, 503])("fails at once with the pause if a %i asks to wait for a year", (status) =>
    Effect.gen(function* () {
      const year_s = 365 * 86_400
      const server = yield* answering({ status, json: { detail: "x" }, headers: { "retry-after": String(year_s) } })
      const error = yield* Effect.flip(getRun)
      assert.include(error.message, "try again in 365d")
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )

  it.live("404 is the described error only with the described body", () =>
    Effect.gen(function* () {
      for (const json of [{ detail: "Run not found" }, {}]) {
        yield* answering({ status: 404, json })
        assert.instanceOf(yield* Effect.flip(getRun), RunNotFoundError)
      }
      for (const text of [
        "",
        "<html>404</html>",
        '{"message":"no Route matched"}',
        '{"detail":1}',
        '"Not Found"',
        "[]"
      ]) {
        yield* answering({ status: 404, text })
        const error = yield* Effect.flip(getRun)
        assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "UnexpectedStatus", text)
        assert.include(error.message, "Is the base address right?")
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    [302, "Redirects are not followed; is the base address right?"],
    [400, "The operation does not describe this response."],
    [403, "The API key may not do this."],
    [404, "Is the base address right?"],
    [409, "The operation does not describe this response."]
  ] as const)("an undescribed status is unexpected: %i", ([status, advice]) =>
    Effect.gen(function* () {
      const error = yield* failureOf({ status, text: "<h1>\n  oops </h1>" })
      assert.instanceOf(error, TransportError)
      if (error._tag !== "TransportError" || error.reason._tag !== "UnexpectedStatus") return assert.fail(error.message)
      assert.deepStrictEqual([error.reason.status, error.reason.body], [status, "<h1>\n  oops </h1>"])
      assert.match(error.message, /^POST http:\/\/127\.0\.0\.1:\d+\/api\/v4\/runs: status \d+, <h1> oops <\/h1>\. /u)
      assert.isTrue(error.message.endsWith(`${advice} Request id ${String(error.requestId)}.`), error.message)
    }).pipe(Effect.provide(layer()))
  )

  it.live("a success that can't be decoded keeps the id and the body", () =>
    Effect.gen(function* () {
      const text = '{"id":9,"cdpUrl":""}'
      yield* answering({ status: 201, text })
      const api = yield* ContractClient.make("v4", V4Operations)
      const error = yield* Effect.flip(api.browsers.create({ payload: {} }))
      if (error._tag !== "TransportError" || error.reason._tag !== "UndecodableAnswer")
        return assert.fail(error.message)
      const { body, id, status } = error.reason
      assert.deepStrictEqual([status, id, body], [201, "9", text])
      assert.include(error.message, 'Its id is "9"')
      for (const text of ["<html>", "", "null", '{"id":'] as const) {
        const error = yield* failureOf({ text })
        assert.strictEqual(error._tag === "CreateOutcomeUnknown" && error.reason._tag, "UndecodableAnswer", text)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("a read is retried, and its error counts the attempts", () =>
    Effect.gen(function* () {
      const server = yield* answering({ status: 503 }, { status: 429 }, (response) => response.destroy(), { json: run })
      assert.deepStrictEqual<unknown>(yield* getRun, received)
      assert.strictEqual(server.requests.length, 4)
      yield* answering({ status: 500 })
      const error = yield* Effect.flip(getRun)
      assert.strictEqual(error._tag === "TransportError" && error.attempts, 5)
      assert.match(
        error.message,
        /^GET .* \(5 attempts\): status 500\. The service failed; try again later\. Request id [\da-f]+-\w+\.$/u
      )
    }).pipe(Effect.provide(layer()))
  )

  it.live("a create is never retried", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<Answer> = [{ status: 503 }, { status: 429 }, (response) => response.destroy()]
      const server = yield* ScriptedServer
      for (const [index, answer] of answers.entries()) {
        yield* failureOf(answer)
        assert.strictEqual(server.requests.length, index + 1)
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("an id is one segment of the path, whatever its characters", () =>
    Effect.gen(function* () {
      const server = yield* answering({ json: run })
      const api = yield* ContractClient.make("v4", V4Operations)
      for (const id of ["a/b", "../x", "%2e%2e", "a?b#c", "é €", " ", "a;b"]) {
        yield* api.runs.get({ params: { run_id: id } })
        const [, , , , segment, ...more] = server.requests.at(-1)?.url.split("/") ?? []
        assert.strictEqual(decodeURIComponent(segment ?? ""), id)
        assert.deepStrictEqual(more, [])
      }
    }).pipe(Effect.provide(layer()))
  )

  it.live("an invalid id is refused before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const v2 = yield* ContractClient.make("v2", V2Operations)
      const v4 = yield* ContractClient.make("v4", V4Operations)
      const calls = [
        ...["", ".", "..", "\ud800"].map((run_id) => v4.runs.get({ params: { run_id } })),
        v4.sessions.queue({ params: { session_id: ".." }, payload: { text: "t", interrupt: false } }),
        v2.sessions.get({ params: { session_id: "7" } })
      ]
      for (const call of calls) {
        const error = yield* Effect.flip(Effect.asVoid<unknown, { readonly _tag: string }, never>(call))
        assert.instanceOf(error, TransportError)
        if (!(error instanceof TransportError)) return
        assert.strictEqual(error.reason._tag, "InvalidRequest")
        assert.strictEqual(error.attempts, 0)
        assert.match(error.message, /^(GET|POST) .*\/\{(run|session)_id\}.*: not sent, /u)
      }
      assert.strictEqual(server.requests.length, 0)
    }).pipe(Effect.provide(layer()))
  )

  it.live("an invalid payload is refused before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      const api = yield* ContractClient.make("v4", V4Operations)
      // as a program in JavaScript sends it
      const payload = JSON.parse('{"proxyCountryCode":47}')
      const error = yield* Effect.flip(api.browsers.create({ payload }))
      assert.strictEqual(error._tag === "TransportError" && error.reason._tag, "InvalidRequest")
      assert.include(error.message, "proxyCountryCode")
      assert.strictEqual(server.requests.length, 0)
    }).pipe(Effect.provide(layer()))
  )
})
