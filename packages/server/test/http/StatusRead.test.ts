import { assert, describe, it } from "@effect/vitest"
import { ApiKeyAuth as ApiKeyAuthService, RequestValidation as RequestValidationService } from "@webagent/contract"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Ref from "effect/Ref"
import { Engine } from "../../src/engine/Engine.ts"
import * as ApiKeyAuth from "../../src/http/ApiKeyAuth.ts"
import * as RequestValidation from "../../src/http/RequestValidation.ts"
import { Server } from "../../src/Server.ts"
import { exchange, poll, raw } from "./exchange.ts"

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
  engine: Layer.Layer<Engine> = Server.layerEngineSimulated({ turnDuration: "5 millis" })
) =>
  Layer.orDie(Server.layerParts()).pipe(
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
  exchange("POST", "/api/v4/runs", { body: { task: "Find a red mug [simulate duration=1h]" } }),
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

describe("StatusRead", () => {
  it.live("answers the plain case with the bytes of the operation, and without it", () =>
    Effect.gen(function* () {
      const id = yield* created
      yield* poll(`/api/v4/runs/${id}/status`, ({ status }) => status === "dispatching")
      const [read, byRead] = yield* operatedBy(bytes(`GET /api/v4/runs/${id}/status`))
      const [operation, byOperation] = yield* operatedBy(bytes(`GET /api/v4/runs/${id}/status?`))
      assert.deepStrictEqual([byRead, byOperation], [0, 1])
      assert.strictEqual(read, operation)
      assert.match(read, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"status":"dispatching"\}$/u)
    }).pipe(Effect.provide(layer))
  )

  it.live("leaves everything else to the operation", () =>
    Effect.gen(function* () {
      const id = yield* created
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
        [`GET /api/v4/runs/${unknown}/status`, "wak_tes", 401, 0]
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
      const { body } = yield* exchange("POST", "/api/v4/runs", { body: { task: "Find a red mug" } })
      const path = `/api/v4/runs/${body["id"]}/status`
      const { body: last } = yield* poll(path, ({ status }) => status === "completed")
      assert.deepStrictEqual(last, { status: "completed" })
    }).pipe(Effect.provide(layer))
  )

  it.live("knows no key but what the check lets through, one request after another", () =>
    Effect.gen(function* () {
      const path = `/api/v4/runs/${yield* created}/status`
      const statuses = yield* Effect.forEach(["wak_test", "wak_other", "wak_test", null, "wak_test"], (key) =>
        Effect.map(exchange("GET", path, { key }), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [200, 401, 200, 401, 200])
    }).pipe(Effect.provide(layer))
  )

  it.live("asks the check that the server was given", () =>
    Effect.gen(function* () {
      const path = `/api/v4/runs/${yield* created}/status`
      const [answer, operated] = yield* operatedBy(exchange("GET", path, { key: null }))
      assert.deepStrictEqual([answer.status, operated], [200, 0])
    }).pipe(Effect.provide(serverWith(Layer.succeed(ApiKeyAuthService, { apiKey: (httpEffect) => httpEffect }))))
  )

  it.live("a mistake of the engine is the 500 of every operation", () =>
    Effect.gen(function* () {
      const answer = yield* exchange("GET", "/api/v4/runs/00000000-0000-4000-8000-00000000000f/status")
      assert.deepStrictEqual([answer.status, answer.body], [500, { detail: "Internal Server Error" }])
    }).pipe(
      Effect.provide(
        serverWith(
          ApiKeyAuth.layer(["wak_test"]),
          Layer.effect(
            Engine,
            Effect.map(Engine, (engine) => ({ ...engine, turn: () => Effect.die(new Error("secret")) }))
          ).pipe(Layer.provide(Server.layerEngineSimulated()))
        )
      ),
      // what it logs is not the test's business
      Effect.provide(Logger.layer([]))
    )
  )
})
