import { assert, describe, it } from "@effect/vitest"
import { ApiKeyAuth as ApiKeyAuthService, RequestValidation as RequestValidationService } from "@webagent/contract"
import { presets, type Profile, type TimeMode } from "@webagent/control"
import * as Arbitrary from "effect/Arbitrary"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { Engine } from "@webagent/engine"
import { ApiKeyAuth, RequestValidation, Server } from "@webagent/server"
import { Control } from "../../src/control/Control.ts"
import { send, poll, raw } from "../send.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

/** How often a request was answered by an operation: validation stands before each. */
class Operated extends Context.Service<Operated, Ref.Ref<number>>()("test/Operated") {
  static readonly layer = Layer.effect(Operated, Ref.make(0))
}

const countingValidation = Layer.effect(
  RequestValidationService,
  Effect.gen(function* () {
    const operated = yield* Operated
    const validation = yield* RequestValidationService
    return RequestValidationService.of((httpEffect, options) =>
      Effect.andThen(
        Ref.update(operated, (count) => count + 1),
        validation(httpEffect, options)
      )
    )
  })
).pipe(Layer.provide(RequestValidation.layer))

const serverWith = (
  auth: Layer.Layer<ApiKeyAuthService>,
  engine: Layer.Layer<Engine> = SimulatedService.layerEngine({ turnDuration: "5 millis" })
) =>
  Layer.orDie(Server.layerWithAuth({ apiKeys: ["wak_test"] })).pipe(
    Layer.provide([auth, engine, countingValidation]),
    Layer.provideMerge(Operated.layer),
    Layer.fresh
  )

const layer = serverWith(ApiKeyAuth.layer(["wak_test"]))

const operatedBy = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const operated = yield* Operated
    yield* Ref.set(operated, 0)
    return [yield* effect, yield* Ref.get(operated)] as const
  })

const created = Effect.map(
  send("POST", "/api/v4/runs", { body: { task: "Find a red mug [simulate duration=1h]" } }),
  ({ body }) => String(body["id"])
)

/** The bytes of an answer, but for when it was given. */
const bytes = (line: string, key: string | null = "wak_test") =>
  Effect.map(
    raw(
      `${line} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n${key === null ? "" : `X-Service-API-Key: ${key}\r\n`}\r\n`
    ),
    (text) => text.replace(/^Date: .*\r\n/mu, "")
  )

/** What reads a session and its turns. */
const pathsOf = (sessionId: string, turnIds: ReadonlyArray<string>) => [
  `/api/v2/sessions/${sessionId}`,
  `/api/v3/sessions/${sessionId}`,
  ...turnIds.flatMap((id) => [`/api/v4/runs/${id}`, `/api/v4/runs/${id}/status`])
]

const readsOf = (id: string) =>
  Effect.map(send("GET", `/api/v4/runs/${id}`), ({ body }) => pathsOf(String(body["sessionId"]), [id]))

const manual: TimeMode = { mode: "manual" }

const { latency: _latency, limits: _limits, ...unlimited } = presets.realistic

/** All that can be said of a turn is said often. */
const eventful: Profile = {
  ...unlimited,
  duration: { uniform: { min: Duration.seconds(1), max: Duration.minutes(1) } },
  outcomes: { completed: 5, failed: 3, cancelled: 2 },
  session: { keepAlive: 0.5, persistMemory: 0.5, recording: 0.5 },
  judge: { enabled: 0.7, agrees: 0.5 },
  suggestions: { rate: 0.5 },
  proxy: { rate: 0.5, mb: { min: 0.5, max: 20 } }
}

/** What happens to one session. */
const Story = Schema.Struct({
  version: Schema.Literals(["v3", "v4"]),
  task: Schema.String,
  output: Schema.Option(Schema.Json),
  thinkingLevel: Schema.String,
  modelParams: Schema.Record(Schema.String, Schema.Json),
  messages: Schema.Array(Schema.Struct({ text: Schema.String, interrupt: Schema.Boolean })).check(
    Schema.isMaxLength(3)
  ),
  shared: Schema.Boolean,
  stopped: Schema.Literals([true, false, false]),
  waits_ms: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40_000 }))).check(
    Schema.isMinLength(2),
    Schema.isMaxLength(4)
  )
})

/** Lets a story begin. */
const told = Effect.fnUntraced(function* (story: typeof Story.Type) {
  const { messages, modelParams, output, shared, stopped, thinkingLevel, version } = story
  const engine = yield* Engine
  const path = version === "v3" ? "/api/v3/sessions" : "/api/v4/runs"
  const script = Option.match(output, {
    onNone: () => "",
    onSome: (json) => `[simulate output=[${JSON.stringify(json)}]]`
  })
  const body = { task: `${story.task}${script}`, ...(version === "v3" ? { thinkingLevel } : { modelParams }) }
  const created = (yield* send("POST", path, { body })).body
  const sessionId = String(version === "v3" ? created["id"] : created["sessionId"])
  for (const message of messages) yield* send("POST", `/api/v4/sessions/${sessionId}/queue`, { body: message })
  if (shared) yield* Effect.orDie(engine.shareSession(sessionId))
  if (stopped) yield* Effect.orDie(engine.stopSession(sessionId))
  const { turns } = yield* Effect.orDie(engine.session(sessionId))
  return { sessionId, turnIds: turns.map(({ id }) => id) }
})

describe("PlainRead", () => {
  it.live("returns the operation's bytes for the plain case of each read, without running the operation", () =>
    Effect.gen(function* () {
      const id = yield* created
      yield* poll(`/api/v4/runs/${id}/status`, ({ status }) => status === "dispatching")
      for (const path of yield* readsOf(id)) {
        const [read, byRead] = yield* operatedBy(bytes(`GET ${path}`))
        const [operation, byOperation] = yield* operatedBy(bytes(`GET ${path}?`))
        assert.deepStrictEqual([byRead, byOperation], [0, 1], path)
        assert.strictEqual(read, operation, path)
        assert.match(read, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"[\s\S]*\}$/u, path)
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("returns the operation's bytes even for special keys of JavaScript objects", () =>
    Effect.gen(function* () {
      const odd = '{"__proto__":{"a":1},"constructor":-0,"b":1e21,"2":null,"1":{"toJSON":3}}'
      const task = JSON.stringify(`[simulate duration=0ms output=${odd}]`)
      const { body } = yield* send("POST", "/api/v4/runs", { text: `{"task":${task},"modelParams":${odd}}` })
      const id = String(body["id"])
      yield* poll(`/api/v4/runs/${id}/status`, ({ status }) => status === "completed")
      for (const path of yield* readsOf(id)) {
        assert.strictEqual(yield* bytes(`GET ${path}`), yield* bytes(`GET ${path}?`), path)
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("returns the operation's bytes in every state of a session", () =>
    Effect.gen(function* () {
      const engine = yield* Engine
      const control = yield* Control
      const seen = new Set<string>()
      for (const story of yield* Arbitrary.sampleEffect(Arbitrary.schema(Story), { count: 25, seed: 5 })) {
        const { sessionId, turnIds } = yield* told(story)
        for (const wait_ms of story.waits_ms) {
          yield* control.advance(wait_ms)
          const { session, turns } = yield* Effect.orDie(engine.session(sessionId))
          for (const path of pathsOf(sessionId, turnIds)) {
            const [read, operation] = [yield* bytes(`GET ${path}`), yield* bytes(`GET ${path}?`)]
            assert.strictEqual(read, operation, path)
            assert.include(read, "HTTP/1.1 200 OK")
          }
          for (const one of turns) {
            seen.add(one.status)
            if (one.judgement !== null) seen.add("judged")
            if (one.suggestions !== null) seen.add("suggestions")
          }
          seen.add(`${session.status}${session.recording ? " recorded" : ""}`)
          if (session.shared) seen.add("shared")
        }
      }
      const worthSeeing =
        "queued, dispatching, running, completed, failed, cancelled, judged, suggestions, " +
        "active, active recorded, stopped, stopped recorded, shared"
      assert.sameMembers([...seen], worthSeeing.split(", "))
    }).pipe(Effect.provide(Layer.fresh(Layer.orDie(SimulatedService.layer({ profile: eventful, time: manual })))))
  )

  it.live("leaves all other requests to the operation", () =>
    Effect.gen(function* () {
      const id = yield* created
      const { body } = yield* send("GET", `/api/v4/runs/${id}`)
      const sessionId = String(body["sessionId"])
      const unknown = "00000000-0000-4000-8000-00000000000f"
      const rows: ReadonlyArray<readonly [line: string, key: string | null, status: number, operated: number]> = [
        [`HEAD /api/v4/runs/${id}/status`, "wak_test", 200, 1],
        [`GET /api/v4/runs/${id.toUpperCase()}/status`, "wak_test", 200, 1],
        [`GET /api/v4/runs/%${id.charCodeAt(0).toString(16)}${id.slice(1)}/status`, "wak_test", 200, 1],
        [`GET //api/v4/runs/${id}/status`, "wak_test", 200, 1],
        [`GET /api/v4/runs/${id}/status#x`, "wak_test", 200, 1],
        [`GET /api/v4/runs/${unknown}/status`, "wak_test", 404, 1],
        [`GET /api/v4/runs/${id}x/status`, "wak_test", 404, 1],
        [`GET /api/v4/runs/%ff/status`, "wak_test", 404, 1],
        [`GET /api/v4/runs/${id}/Status`, "wak_test", 404, 0],
        [`GET /api/v4/runs/${id}/status/`, "wak_test", 404, 0],
        [`POST /api/v4/runs/${id}/status`, "wak_test", 405, 0],
        [`GET /api/v4/runs/${id}/status`, null, 401, 0],
        [`GET /api/v4/runs/${id}/status`, "", 401, 0],
        [`GET /api/v4/runs/${id}/status`, "wak_tes", 401, 0],
        [`GET /api/v4/runs/${unknown}/status`, "wak_tes", 401, 0],
        [`HEAD /api/v2/sessions/${sessionId}`, "wak_test", 200, 1],
        [`GET /api/v2/sessions/${sessionId.toUpperCase()}`, "wak_test", 200, 1],
        [`GET /api/v2/sessions/${unknown}`, "wak_test", 404, 1],
        [`GET /api/v2/sessions/x`, "wak_test", 422, 1],
        [`GET /api/v2/sessions/${id}x`, "wak_test", 422, 1],
        [`GET /api/v2/sessions/${sessionId}/status`, "wak_test", 404, 0],
        [`GET /api/v2/sessions/${sessionId}`, "wak_tes", 401, 0],
        [`GET /api/v3/sessions/${unknown}`, "wak_test", 404, 1],
        [`GET /api/v3/sessions/${sessionId}`, null, 401, 0],
        [`PUT /api/v3/sessions/${sessionId}`, "wak_test", 405, 0],
        [`GET /api/v4/runs/${sessionId}`, "wak_test", 404, 1],
        [`GET /api/v4/sessions/${sessionId}`, "wak_test", 200, 1],
        [`GET /api/v4/runs/${id}`, "", 401, 0]
      ]
      for (const [line, key, status, operated] of rows) {
        const [text, count] = yield* operatedBy(bytes(line, key))
        assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `, "u"), line)
        assert.match(text, /^Content-Type: application\/json\r$/imu, line)
        assert.strictEqual(count, operated, line)
      }
    }).pipe(Effect.provide(layer))
  )

  it.live("follows a run to its end", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/runs", { body: { task: "Find a red mug" } })
      const path = `/api/v4/runs/${body["id"]}/status`
      const { body: last } = yield* poll(path, ({ status }) => status === "completed")
      assert.deepStrictEqual(last, { status: "completed" })
    }).pipe(Effect.provide(layer))
  )

  it.live("accepts only keys that the check accepts, for each request", () =>
    Effect.gen(function* () {
      const path = `/api/v4/runs/${yield* created}/status`
      const statuses = yield* Effect.forEach(["wak_test", "wak_other", "wak_test", null, "wak_test"], (key) =>
        Effect.map(send("GET", path, { key }), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [200, 401, 200, 401, 200])
    }).pipe(Effect.provide(layer))
  )

  it.live("asks the check that the server was given", () =>
    Effect.gen(function* () {
      const path = `/api/v4/runs/${yield* created}/status`
      const [answer, operated] = yield* operatedBy(send("GET", path, { key: null }))
      assert.deepStrictEqual([answer.status, operated], [200, 0])
    }).pipe(Effect.provide(serverWith(Layer.succeed(ApiKeyAuthService, { apiKey: (httpEffect) => httpEffect }))))
  )

  it.live("returns the same 500 for an engine error as every operation", () =>
    Effect.gen(function* () {
      const answer = yield* send("GET", "/api/v4/runs/00000000-0000-4000-8000-00000000000f/status")
      assert.deepStrictEqual([answer.status, answer.body], [500, { detail: "Internal Server Error" }])
    }).pipe(
      Effect.provide(
        serverWith(
          ApiKeyAuth.layer(["wak_test"]),
          Layer.effect(
            Engine,
            Effect.map(Engine, (engine) => ({ ...engine, turn: () => Effect.die(new Error("secret")) }))
          ).pipe(Layer.provide(SimulatedService.layerEngine()))
        )
      ),
      // what it logs is not the test's business
      Effect.provide(Logger.layer([]))
    )
  )
})
