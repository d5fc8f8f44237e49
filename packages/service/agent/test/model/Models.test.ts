import type { ModelReply } from "@webagent/scripted-model"
import { type ModelConfig, ModelCost, ModelError, Models, OnSpent } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Prompt from "effect/ai/Prompt"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { call, configOf, dialects, key, toolkit, withModel } from "./asking.ts"

/** A clock on which waits between attempts take no time. The limit of a call takes until `expired`. */
const unhurried =
  (waits: Array<number>, expired: Effect.Effect<void> = Effect.never) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const sleep = (time: Duration.Duration) => {
        const milliseconds = Duration.toMillis(time)
        if (milliseconds === 90_000) return expired
        waits.push(milliseconds)
        return Effect.void
      }
      return Effect.provideService(
        effect,
        Clock.Clock,
        Object.create(clock, { sleep: { value: sleep } }) as Clock.Clock
      )
    })

const said = (exit: { readonly reason: AiError.AiErrorReason }) => ModelError.sentence(exit as AiError.AiError)

describe.each(dialects)("a model that speaks %s", (dialect) => {
  it.live("answers with text, usage and cost", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", usage: { input: 1_000, output: 10 } })
        const answer = yield* call(model, {
          prompt: [
            { role: "system", content: "You use a browser." },
            { role: "user", content: [{ type: "text", text: "Find a mug" }] }
          ]
        })
        assert.strictEqual(answer.text, "A mug.")
        assert.strictEqual(answer.finishReason, "stop")
        assert.deepStrictEqual(
          spent.map(({ cost, model }) => ({ cost, model })),
          [{ model: "first-1", cost: 3_150_000_000n }]
        )
        const [request] = server.requests
        assert.strictEqual(request?.model, "first-1")
        assert.deepStrictEqual(
          request?.messages.map(({ text }) => text),
          ["You use a browser.", "Find a mug"]
        )
        assert.deepStrictEqual(request?.tools, ["search", "open"])
        if (dialect === "openai") assert.strictEqual(request?.body["store"], false)
      })
    )
  )

  it.live("prices what it read from its cache", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", usage: { input: 1_000, cacheRead: 900, output: 10 } })
        yield* call(model)
        // 100 * 3 + 900 * 0.3 + 10 * 15 = 720 USD for a million
        assert.deepStrictEqual(
          spent.map(({ cost }) => cost),
          [720_000_000n]
        )
        assert.strictEqual(spent[0]?.usage.inputTokens.cacheRead, 900)
      })
    )
  )

  it.live("gives calls as they were made, of unknown tools too, and takes their results", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = (_, count) =>
          count === 1
            ? {
                calls: [
                  { name: "search", input: { text: "mug" } },
                  { name: "fly", input: { to: "the moon" } }
                ]
              }
            : { text: "Done." }
        const first = yield* call(model, { toolChoice: "required" })
        assert.deepStrictEqual(
          first.toolCalls.map(({ name, params }) => [name, params]),
          [
            ["search", { text: "mug" }],
            ["fly", { to: "the moon" }]
          ]
        )
        const history = Prompt.concat(Prompt.make("Find a mug"), Prompt.fromResponseParts(first.content))
        const results = first.toolCalls.map(({ id, name }, index) =>
          Prompt.makePart("tool-result", {
            id,
            name,
            result: `result ${index}`,
            isFailure: index === 1,
            providerExecuted: false
          })
        )
        const next = yield* call(model, {
          prompt: Prompt.concat(history, [{ role: "tool", content: results }])
        })
        assert.strictEqual(next.text, "Done.")
        const sent = JSON.stringify(server.requests[1]?.body)
        assert.include(sent, "result 0")
        assert.include(sent, "result 1")
        assert.include(sent, "the moon")
      })
    )
  )

  it.live("is told which tools there are, closed and short", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "Hm." })
        yield* call(model, { toolChoice: { oneOf: ["search"], mode: "required" } })
        assert.deepStrictEqual(server.requests[0]?.tools, ["search"])
        assert.notInclude(JSON.stringify(server.requests[0]?.body), String(Number.MAX_SAFE_INTEGER))
      })
    )
  )

  it.live("answers in the form of a schema", () =>
    withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ text: JSON.stringify({ name: "Mug", price: 4.5 }) })
          const answer = yield* model.generateObject({
            prompt: "Which mug?",
            objectName: "mug",
            schema: Schema.Struct({ name: Schema.String, price: Schema.Finite })
          })
          assert.deepStrictEqual(answer.value, { name: "Mug", price: 4.5 })
          assert.include(JSON.stringify(server.requests[0]?.schema), "price")
        }),
      // of Anthropic's models, the provider asks only those that it knows for a schema
      (config) => ({ ...config, model: "claude-sonnet-4-5" })
    )
  )

  it.live("charges also for an answer that does not fit the schema", () =>
    withModel(dialect, (model, server, spent) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "no JSON at all" })
        const error = yield* Effect.flip(
          model.generateObject({ prompt: "Which mug?", schema: Schema.Struct({ name: Schema.String }) })
        )
        assert.strictEqual(error._tag, "AiError")
        assert.strictEqual(spent.length, 1)
      })
    )
  )

  it.live("is sent pictures only when it sees", () =>
    Effect.gen(function* () {
      const prompt = Prompt.make([
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", mediaType: "image/jpeg", data: new Uint8Array([255, 216, 255]) }
          ]
        }
      ])
      for (const sees of [true, false]) {
        yield* withModel(
          dialect,
          (model, server) =>
            Effect.gen(function* () {
              server.script = () => ({ text: "A mug." })
              yield* call(model, { prompt })
              assert.strictEqual(server.requests[0]?.messages.at(-1)?.images, sees ? 1 : 0)
              assert.strictEqual(server.requests[0]?.text, "What is this?")
            }),
          (config) => ({ ...config, sees })
        )
      }
    })
  )

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
            assert.include(said(error), "Model first-1 cannot be reached")
            assert.include(said(error), "Check the address of the model and that its server is up.")
          }),
        (config) => ({ ...config, baseUrl: "http://127.0.0.1:2/v1" })
      )
    }).pipe(unhurried([]))
  )

  it.live("calls tools freely where the server refuses to make it call one", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const insists = (choice: unknown) => /required|any/iu.test(JSON.stringify(choice) ?? "")
        server.script = ({ toolChoice }) =>
          insists(toolChoice) ? { status: 400, message: "tool_choice must be auto" } : { text: "Hm." }
        yield* call(model, { toolChoice: "required" })
        yield* call(model, { toolChoice: "required" })
        assert.deepStrictEqual(
          server.requests.map(({ toolChoice }) => insists(toolChoice)),
          [true, false, false]
        )
      })
    )
  )

  it.live("answers as a stream, in one piece", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => ({ text: "A mug.", calls: [{ name: "search", input: { text: "mug" } }] })
        const parts = yield* Stream.runCollect(
          model.streamText({ prompt: "Find a mug", toolkit, disableToolCallResolution: true })
        )
        assert.deepStrictEqual(
          Array.from(parts, ({ type }) => type),
          ["text-start", "text-delta", "text-end", "tool-call", "finish"]
        )
      })
    )
  )

  it.live("leaves an unknown cost unknown", () =>
    Effect.gen(function* () {
      yield* withModel(
        dialect,
        (model, server, spent) =>
          Effect.gen(function* () {
            server.script = () => ({ text: "Hm." })
            yield* call(model)
            assert.deepStrictEqual(
              spent.map(({ cost }) => cost),
              [null]
            )
          }),
        (config) => ({ ...config, price: undefined })
      )
      // Anthropic always counts
      if (dialect === "anthropic") return
      yield* withModel(dialect, (model, server, spent) =>
        Effect.gen(function* () {
          server.script = () => ({ text: "Hm.", usage: null })
          yield* call(model)
          assert.deepStrictEqual(
            spent.map(({ cost }) => cost),
            [null]
          )
        })
      )
    })
  )
})

describe("what an answer used", () => {
  it.live("is told also where the call is interrupted as it arrives", () =>
    Effect.gen(function* () {
      const telling = Promise.withResolvers<void>()
      const told = Promise.withResolvers<void>()
      let count = 0
      const tell = () =>
        Effect.promise(() => {
          telling.resolve()
          return told.promise
        }).pipe(Effect.andThen(Effect.sync(() => void count++)))
      yield* withModel("openai-compatible", (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ text: "Hm." })
          const fiber = yield* Effect.forkChild(Effect.provideService(call(model), OnSpent, tell))
          yield* Effect.promise(() => telling.promise)
          const interrupted = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
          told.resolve()
          yield* Fiber.join(interrupted)
          assert.strictEqual(count, 1)
        })
      )
    })
  )
})

describe("the key of a model", () => {
  it.live("is in no span, log or error, whatever the server answers", () => {
    const spans: Array<Tracer.NativeSpan> = []
    const logs: Array<unknown> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make(({ cause, message }) => void logs.push(message, Cause.pretty(cause)))
    const replies: ReadonlyArray<ModelReply> = [
      { status: 401, message: `Incorrect API key provided: ${key}` },
      { status: 503, message: key },
      (response) => void response.writeHead(200).end(`{"error": "${key}"`),
      (response) => void response.destroy(),
      { text: "Hm." }
    ]
    return Effect.gen(function* () {
      for (const dialect of dialects) {
        for (const reply of replies) {
          yield* withModel(
            dialect,
            (model, server) =>
              Effect.gen(function* () {
                server.script = () => reply
                const exit = yield* Effect.exit(call(model).pipe(Effect.tapCause((cause) => Effect.logError(cause))))
                logs.push(exit, String(exit), JSON.stringify(exit))
                assert.include(JSON.stringify(server.requests[0]?.headers), key)
              }),
            (config) => ({ ...config, fallback: { ...config, model: "second-2" } })
          )
        }
      }
      assert.isAbove(spans.length, 10)
      const seen = inspect(
        [spans.map(({ attributes, events, name, status }) => [name, attributes, events, status]), logs],
        {
          depth: 20,
          maxArrayLength: null,
          maxStringLength: null
        }
      )
      assert.include(seen, "gen_ai.request.model")
      assert.include(seen, "second-2 answers for the rest of the turn")
      assert.notInclude(seen, key)
    }).pipe(unhurried([]), Effect.provide(Logger.layer([logger])), Effect.withTracer(tracer))
  })
})

describe("a fallback", () => {
  const withFallback = (config: ModelConfig.ModelConfig): ModelConfig.ModelConfig => ({
    ...config,
    fallback: { ...config, model: "second-2", price: ModelCost.price({ input: "1", output: "1" }) }
  })

  it.live("answers for the rest of the turn, at its own price, and the next turn begins with the first", () =>
    withModel(
      "openai-compatible",
      (model, server, spent) =>
        Effect.gen(function* () {
          server.script = ({ model }) =>
            model === "first-1" ? { status: 500 } : { text: "Hm.", usage: { input: 10, output: 1 } }
          yield* call(model)
          yield* call(model)
          assert.deepStrictEqual(
            server.requests.map(({ model }) => model),
            ["first-1", "first-1", "first-1", "second-2", "second-2"]
          )
          assert.deepStrictEqual(
            spent.map(({ cost, model }) => [model, cost]),
            [
              ["second-2", 11_000_000n],
              ["second-2", 11_000_000n]
            ]
          )
          const next = yield* Effect.flatMap(Models, ({ forTurn }) => forTurn).pipe(
            Effect.provide(Models.layer(withFallback(configOf(server, "openai-compatible"))))
          )
          server.script = () => ({ text: "Hm." })
          yield* call(next)
          assert.strictEqual(server.requests.at(-1)?.model, "first-1")
        }),
      withFallback
    ).pipe(unhurried([]))
  )

  it.live("is not asked where the first refuses the request", () =>
    withModel(
      "openai-compatible",
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ status: 401 })
          yield* Effect.flip(call(model))
          assert.strictEqual(server.requests.length, 1)
        }),
      withFallback
    )
  )
})
