import type { ModelReply } from "@webagent/scripted-model"
import { ModelError } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { call, dialects, key, withModel, unhurried } from "./asking.ts"

const said = (exit: { readonly reason: AiError.AiErrorReason }) => ModelError.sentence(exit as AiError.AiError)

describe.each(dialects)("an attempt of a model that speaks %s", (dialect) => {
  it.live("waits as long as a busy server asks for, and 60 seconds at most", () => {
    const waits: Array<number> = []
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const replies: ReadonlyArray<ModelReply> = [
          { status: 429, headers: { "retry-after": "7" } },
          { status: 529, headers: { "retry-after-ms": "1500" } },
          { text: "A mug." },
          { status: 429, headers: { "retry-after": "3600" } },
          { text: "A mug." }
        ]
        server.script = (_, count) => replies[count - 1] ?? { status: 500 }
        assert.strictEqual((yield* call(model)).text, "A mug.")
        assert.strictEqual((yield* call(model)).text, "A mug.")
        assert.deepStrictEqual(waits, [7_000, 1_500, 60_000])
      })
    ).pipe(unhurried(waits))
  })

  it.live("is tried three times, about 500 ms and a second apart", () => {
    const waits: Array<number> = []
    return withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ status: 503, message: "overloaded" })
        const error = yield* Effect.flip(call(model))
        assert.strictEqual(
          said(error),
          "Model first-1 answered 503 (overloaded). Check the model server, or try again later."
        )
        assert.strictEqual(server.requests.length, 3)
        assert.strictEqual(waits.length, 2)
        assert.isTrue(
          waits.every((wait, index) => wait >= 400 * 2 ** index && wait <= 600 * 2 ** index),
          String(waits)
        )
        assert.deepStrictEqual(spent, [])
      })
    ).pipe(unhurried(waits))
  })

  it.live.each([
    [400, "Check the name of the model, whether it calls tools, its modelParams and its thinkingLevel."],
    [401, "Check the key of the model."],
    [403, "Check that the key may use this model."],
    [404, "Check the name of the model, its dialect and its address."]
  ] as const)("is asked once where it answers %i, and says what to check", ([status, advice]) =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ status, message: `no: ${key}` })
        const error = yield* Effect.flip(call(model))
        assert.strictEqual(
          said(error).replace(/ at http:[^ ]+\/v1[^ ]+\. /u, ". "),
          `Model first-1 answered ${status} (no: <key>). ${advice}`
        )
        assert.strictEqual(server.requests.length, 1)
        assert.notInclude(JSON.stringify(error) + error.message + String(error.stack), key)
      })
    )
  )

  it.live.each([
    [401, "Check the key of the model in MY_MODEL_KEY."],
    [403, "Check that the key in MY_MODEL_KEY may use this model."]
  ] as const)("names what its key is set in where it answers %i", ([status, advice]) =>
    withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ status, message: "no" })
          const error = yield* Effect.flip(call(model))
          assert.strictEqual(said(error), `Model first-1 answered ${status} (no). ${advice}`)
        }),
      (config) => ({ ...config, keyName: "MY_MODEL_KEY" })
    )
  )

  it.live("is not asked any more when the call is interrupted", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        const left = Promise.withResolvers<void>()
        server.script = () => (response) => {
          response.on("close", () => left.resolve())
          arrived.resolve()
        }
        const fiber = yield* Effect.forkChild(call(model))
        yield* Effect.promise(() => arrived.promise)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => left.promise)
        assert.strictEqual(server.abandoned, 1)
        assert.strictEqual(server.requests.length, 1)
      })
    )
  )

  it.live("is given up after 90 seconds of silence, three times", () => {
    const arrivals = { count: 0, next: Promise.withResolvers<void>() }
    const expired = Effect.promise(() => arrivals.next.promise)
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => () => {
          arrivals.next.resolve()
          arrivals.next = Promise.withResolvers()
        }
        const error = yield* Effect.flip(call(model))
        assert.include(said(error), "Model first-1 did not answer within 1m 30s.")
        assert.strictEqual(server.requests.length, 3)
      })
    ).pipe(unhurried([], expired))
  })

  it.live("says what cannot be read, and where nothing listens", () =>
    Effect.gen(function* () {
      yield* withModel(dialect, (model, server) =>
        Effect.gen(function* () {
          server.script = () => (response) =>
            void response.writeHead(200, { "content-type": "text/html" }).end("<html>")
          const error = yield* Effect.flip(call(model))
          assert.include(said(error), "Model first-1 gave an answer that cannot be read")
        })
      )
      yield* withModel(
        dialect,
        (model) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(call(model))
            assert.match(
              said(error),
              /^Model first-1 cannot be reached at http:\/\/127\.0\.0\.1:2\/v1\/\S+ \([^)]+\)\. Check the address of the model and that its server is up\.$/u
            )
            assert.notInclude(said(error), "API")
          }),
        (config) => ({ ...config, baseUrl: "http://127.0.0.1:2/v1" })
      )
      yield* withModel(
        dialect,
        (model) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(call(model))
            assert.match(said(error), /cannot be reached at https:\S+ \(it does not speak https\)\. /u)
          }),
        (config) => ({ ...config, baseUrl: config.baseUrl?.replace("http:", "https:") })
      )
    }).pipe(unhurried([]))
  )
})
