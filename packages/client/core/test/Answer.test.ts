import { assert, describe, it } from "@effect/vitest"
import { RunNotFoundError } from "@webagent/contract"
import { V4Operations } from "@webagent/contract/v4"
import { type Answer, ScriptedServer } from "@webagent/scripted-server"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inspect } from "node:util"
import { ContractClient, CreateOutcomeUnknown, RetryPolicy, type Transport, TransportError } from "../src/index.ts"
import { layer } from "./client.ts"

const getRun = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.get({ params: { run_id: "r-1" } })
)
const createRun = Effect.flatMap(ContractClient.make("v4", V4Operations), (api) =>
  api.runs.create({ payload: { task: "t" } })
)

const always = (answer: Answer) => Effect.map(ScriptedServer, (server) => void (server.script = () => answer))

const httpDate = (ms: number) => new Date(ms).toUTCString()

describe("Retry-After", () => {
  const asked = Effect.fnUntraced(function* (headers: Record<string, string>) {
    yield* always({ status: 429, json: { detail: "x" }, headers })
    const error = yield* Effect.flip(Effect.provideService(getRun, RetryPolicy.Current, RetryPolicy.none))
    if (error._tag !== "TooManyRequestsError") return assert.fail(error.message)
    assert.match(error.message, /: status 429, x: try again (?:later|in .+), or do less at once\. Request id /u)
    return error.retryAfter === undefined ? undefined : Duration.toMillis(error.retryAfter)
  })

  it.live.each([
    ["7", 7000],
    ["0", 0],
    [" 12 ", 12_000],
    ["86400", 86_400_000],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined]
  ] as const)("is read in seconds: %j", ([value, expected]) =>
    Effect.map(asked({ "retry-after": value }), (ms) => assert.strictEqual(ms, expected)).pipe(Effect.provide(layer()))
  )

  it.live.each([-1_000_000_000, -3_600_000, 0, 3_600_000, 1_000_000_000])(
    "is read as a date by the clock of a service that is %i ms off",
    (skew_ms) =>
      Effect.gen(function* () {
        const there_ms = Math.floor((yield* Clock.currentTimeMillis) / 1000) * 1000 + skew_ms
        const ms = yield* asked({ date: httpDate(there_ms), "retry-after": httpDate(there_ms + 9000) })
        assert.strictEqual(ms, 9000)
      }).pipe(Effect.provide(layer()))
  )

  it.live.each([
    "Fri, 06 Nov 2026 08:49:37 GMT",
    "Friday, 06-Nov-26 08:49:37 GMT",
    "Fri Nov  6 08:49:37 2026",
    "Fri, 06 Nov 2026 08:49:37",
    "Fri, 06 Nov 2026 08:49:37 +0100",
    "2026-11-06T08:49:37Z",
    "06 Nov 2026",
    "Fri, 06 Abc 2026 08:49:37 GMT",
    "",
    "0",
    "9".repeat(400)
  ])("is read as Effect reads it: %j", (value) =>
    Effect.gen(function* () {
      const date = "Fri, 06 Nov 2026 08:00:00 GMT"
      const read = Result.map(Headers.parseRetryAfter(value), (parsed) =>
        Duration.toMillis(Headers.retryAfterDelay(parsed, Date.parse(date)))
      )
      assert.strictEqual(yield* asked({ date, "retry-after": value }), Result.getOrUndefined(read))
    }).pipe(Effect.provide(layer()))
  )

  it.live("is zero for a date that has passed", () =>
    Effect.gen(function* () {
      const there_ms = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* asked({ date: httpDate(there_ms), "retry-after": httpDate(there_ms - 9000) }), 0)
    }).pipe(Effect.provide(layer()))
  )
})

describe("a described error", () => {
  const body = { detail: "Run not found" }

  it.live("names its call in its message, its JSON and its fields", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      server.script = (_, seen) => (seen < 3 ? { status: 503 } : { status: 404, json: body })
      const error = yield* Effect.flip(getRun)
      const requestId = server.requests[0]?.headers["x-request-id"]
      if (error._tag !== "RunNotFoundError") return assert.fail(error.message)
      assert.deepStrictEqual(error.call, {
        method: "GET",
        path: "/api/v4/runs/r-1",
        origin: server.address,
        attempts: 3,
        requestId
      })
      const message =
        `GET ${server.address}/api/v4/runs/r-1 (3 attempts): status 404, Run not found. Check the id ` +
        `and the key's account. Request id ${requestId}.`
      assert.strictEqual(error.message, message)
      assert.strictEqual(String(error), `RunNotFoundError: ${message}`)
      assert.include(inspect(error), "status 404, Run not found")
      assert.deepStrictEqual(JSON.parse(JSON.stringify(error)), { ...body, _tag: "RunNotFoundError", message })
      assert.include(Cause.pretty(Cause.fail(error)), message)
    }).pipe(Effect.provide(layer()))
  )

  it.live("has a message of one short line, and keeps the whole body", () =>
    Effect.gen(function* () {
      const detail = `<html>\n  ${"x".repeat(60_000)}`
      yield* always({ status: 404, json: { detail } })
      const error = yield* Effect.flip(getRun)
      if (error._tag !== "RunNotFoundError") return assert.fail(error.message)
      assert.match(error.message, /status 404, <html> x{993}…\. Check the id/u)
      assert.strictEqual(error.detail, detail)
    }).pipe(Effect.provide(layer()))
  )

  it.live("allows code that passes it on to extend its message", () =>
    Effect.gen(function* () {
      yield* always({ status: 404, json: body })
      const error = yield* Effect.flip(getRun)
      Object.assign(error, { message: `While looking: ${error.message}` })
      assert.match(error.message, /^While looking: GET /u)
      assert.deepInclude(JSON.parse(JSON.stringify(error)), { message: error.message })
    }).pipe(Effect.provide(layer()))
  )

  it.live("is caught and encoded like an error without a call", () =>
    Effect.gen(function* () {
      yield* always({ status: 404, json: body })
      const error = yield* Effect.flip(getRun)
      assert.deepStrictEqual({ ...error }, { ...new RunNotFoundError(body) })
      if (error._tag !== "RunNotFoundError") return assert.fail(error.message)
      assert.deepStrictEqual(yield* Schema.encodeEffect(RunNotFoundError)(error), body)
      const caught = Effect.catchTag(getRun, "RunNotFoundError", ({ detail }) => Effect.succeed(detail))
      assert.strictEqual(yield* caught, "Run not found")
    }).pipe(Effect.provide(layer()))
  )
})

describe("a redirect", () => {
  it.live.each([301, 302, 307, 308])("%i is not followed, and its error names the target without the query", (status) =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      yield* always({ status, headers: { location: "https://b.example/api/v4/runs/r-1?token=canary" } })
      const error = yield* Effect.flip(getRun)
      assert.instanceOf(error, TransportError)
      assert.isTrue(
        error.message.endsWith(
          `status ${status}. Redirects are not followed; is the base address right? ` +
            `It points to https://b.example/api/v4/runs/r-1. Request id ${String(error.requestId)}.`
        ),
        error.message
      )
      assert.strictEqual(server.requests.length, 1)
    }).pipe(Effect.provide(layer()))
  )
})

describe("hostile answers", () => {
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`
  const hostile: Readonly<Record<string, string>> = {
    null: "null",
    "a list": "[]",
    "a number": "1e999",
    "a text": '"run"',
    nulls: '{"id":null,"status":null}',
    "a number too large to be an exact id": '{"id":12345678901234567890,"status":"x"}',
    "an empty id": '{"id":"","status":"x"}',
    HTML: "<!doctype html><html><body>Welcome</body></html>",
    "half of it": '{"id":"r","sta',
    "another prototype": '{"__proto__":{"id":"r","status":"completed"}}',
    "deep lists": "[".repeat(50_000) + "]".repeat(50_000),
    "bytes that are no text": "\u0000\ufffd"
  }
  for (const [name, text] of Object.entries(hostile)) {
    it.live(`${name}: a typed error that keeps the body`, () =>
      Effect.gen(function* () {
        yield* always({ text })
        for (const call of [getRun, createRun]) {
          const error = yield* Effect.flip(Effect.asVoid<unknown, { readonly _tag: string }, Transport>(call))
          const isTyped = error instanceof (call === getRun ? TransportError : CreateOutcomeUnknown)
          if (!isTyped || error.reason._tag !== "UndecodableAnswer") return assert.fail(name)
          assert.strictEqual(error.reason.body, text.slice(0, 65_536))
          assert.isBelow(error.message.length, 2000)
        }
      }).pipe(Effect.provide(layer()))
    )
  }

  it.live.each([
    [{ totalCostUsd: "0.42" }, { cost: "0.42", totalCostUsd: "0.42" }],
    [{ totalCostUsd: 0.42 }, { cost: "0.42", totalCostUsd: "0.42" }],
    [
      { cost: null, totalCostUsd: 0.42 },
      { cost: "0.42", totalCostUsd: "0.42" }
    ],
    [
      { cost: 0.1, totalCostUsd: "0.42" },
      { cost: "0.1", totalCostUsd: "0.42" }
    ]
  ])("a run that is sent with %j has the decimal cost %j", ([sent, read]) =>
    Effect.gen(function* () {
      const run = { id: "r", status: "completed" }
      yield* always({ json: { ...run, ...sent } })
      assert.deepStrictEqual<unknown>(yield* getRun, { ...run, ...read })
    }).pipe(Effect.provide(layer()))
  )

  it.live("an invalid status doesn't hide the id of a created run, and isn't final", () =>
    Effect.gen(function* () {
      const text = '{"id":"r","status":{},"cost":0.1}'
      yield* always({ text })
      assert.deepStrictEqual<unknown>(yield* createRun, { id: "r", cost: "0.1", raw: { status: {} } })
      const error = yield* Effect.flip(getRun)
      assert.isTrue(error instanceof TransportError && "body" in error.reason && error.reason.body === text)
    }).pipe(Effect.provide(layer()))
  )

  it.live("fields that aren't described may have any type", () =>
    Effect.gen(function* () {
      yield* always({ text: `{"id":"r","status":"completed","result":${deep},"extra":${deep},"toString":1}` })
      assert.strictEqual((yield* getRun).status, "completed")
    }).pipe(Effect.provide(layer()))
  )
})
