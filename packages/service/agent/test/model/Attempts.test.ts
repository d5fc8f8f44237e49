import type { ModelReply } from "@webagent/scripted-model"
import { ModelError } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import type * as AiError from "effect/ai/AiError"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type AddressInfo, createServer, type Server } from "node:net"
import { Agent, fetch, getGlobalDispatcher, setGlobalDispatcher } from "undici"
import { call, dialects, key, withModel, unhurried } from "./asking.ts"

const said = (exit: { readonly reason: AiError.AiErrorReason }) => ModelError.sentence(exit as AiError.AiError)

/** The address of a server that never responds. */
const silentServer = Effect.acquireRelease(
  Effect.callback<Server>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => void server.close())
).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`))

/** Limits how long requests of this process wait for response headers, as Node does with 5 minutes. */
const withHeadersTimeout = (headersTimeout: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getGlobalDispatcher()
      const agent = new Agent({ headersTimeout })
      setGlobalDispatcher(agent)
      return { agent, before }
    }),
    ({ agent, before }) =>
      Effect.promise(() => {
        setGlobalDispatcher(before)
        return agent.destroy()
      })
  )

describe.each(dialects)("an attempt of a model that speaks %s", (dialect) => {
  it.live("waits as long as a busy server asks for, and fails if that exceeds the retry limit", () => {
    const waits: Array<number> = []
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const replies: ReadonlyArray<ModelReply> = [
          { status: 429, headers: { "retry-after": "70" } },
          { status: 529, headers: { "retry-after-ms": "1500" } },
          { status: 429, headers: { "retry-after": "0" } },
          { status: 503, headers: { "retry-after-ms": "1" } },
          { text: "A mug." },
          { status: 429, message: "slow down", headers: { "retry-after": "3600" } }
        ]
        server.script = (_, count) => replies[count - 1] ?? { status: 500 }
        assert.strictEqual((yield* call(model)).text, "A mug.")
        const error = yield* Effect.flip(call(model))
        assert.include(said(error), "Model first-1 answered 429 (slow down).")
        assert.include(said(error), "It asks to retry after 1h.")
        assert.deepStrictEqual(waits.slice(0, 2), [70_000, 1_500])
        // a server that asks for no wait gets the usual ones
        const [third = 0, fourth = 0] = waits.slice(2)
        assert.isAtLeast(third, 1_600)
        assert.isAtLeast(fourth, 3_200)
        assert.strictEqual(server.requests.length, 6)
      })
    ).pipe(unhurried(waits))
  })

  it.live("survives an outage of two minutes", () => {
    const waits: Array<number> = []
    const passed_ms = () => waits.reduce((sum, wait) => sum + wait, 0)
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => (passed_ms() < 120_000 ? { status: 500 } : { text: "A mug." })
        assert.strictEqual((yield* call(model)).text, "A mug.")
        assert.isAtLeast(passed_ms(), 120_000)
      })
    ).pipe(unhurried(waits))
  })

  it.live.each([
    ["5 minutes unless configured", undefined, 300_000],
    ["as long as configured", Duration.minutes(1), 60_000]
  ] as const)("is retried with delays that double up to 30 seconds, for %s", ([, retryFor, limit_ms]) => {
    const waits: Array<number> = []
    return withModel(
      dialect,
      (model, server, spent) =>
        Effect.gen(function* () {
          server.script = () => ({ status: 503, message: "overloaded" })
          const error = yield* Effect.flip(call(model))
          assert.strictEqual(
            said(error),
            "Model first-1 answered 503 (overloaded). Check the model server, or try again later."
          )
          const passed_ms = waits.reduce((sum, wait) => sum + wait, 0)
          assert.isAtMost(passed_ms, limit_ms)
          assert.strictEqual(server.requests.length, waits.length + 1)
          for (const [index, wait] of waits.entries()) {
            const middle = Math.min(500 * 2 ** index, 30_000)
            assert.isTrue(wait >= middle * 0.8 && wait <= middle * 1.2, String(waits))
          }
          // 31.5 seconds of waits that double, then at least one of 30 seconds each 36 seconds
          assert.isAtLeast(waits.length, limit_ms === 300_000 ? 12 : 5)
          assert.deepStrictEqual(spent, [])
        }),
      (config) => ({ ...config, retryFor })
    ).pipe(unhurried(waits))
  })

  it.live.each([
    [400, "Check the name of the model, whether it calls tools, its modelParams and its thinkingLevel."],
    [401, "Check the key of the model."],
    [403, "Check that the key may use this model."],
    [404, "Check the name of the model, its dialect and its address."]
  ] as const)("isn't retried after %i, and the error says what to check", ([status, advice]) =>
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
  ] as const)("names the setting of its key after %i", ([status, advice]) =>
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

  it.live("isn't retried once the call is interrupted", () =>
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

  it.live("isn't made if the call is interrupted while it waits for a retry", () =>
    withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const waiting = yield* Deferred.make<void>()
        const sleep = (time: Duration.Duration) =>
          Duration.toMillis(time) === 60_000
            ? Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
            : clock.sleep(time)
        server.script = () => ({ status: 503, headers: { "retry-after": "60" } })
        const fiber = yield* Effect.forkChild(call(model)).pipe(
          Effect.provideService(Clock.Clock, Object.create(clock, { sleep: { value: sleep } }) as Clock.Clock)
        )
        yield* Deferred.await(waiting)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(server.requests.length, 1)
      })
    )
  )

  it.live("times out after 10 minutes without a response, and is retried once", () => {
    let expire = Promise.withResolvers<void>()
    const expired = Effect.suspend(() => Effect.promise(() => expire.promise))
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        server.script = () => () => {
          expire.resolve()
          expire = Promise.withResolvers()
        }
        const error = yield* Effect.flip(call(model))
        assert.include(said(error), "Model first-1 did not respond within 10m.")
        assert.strictEqual(server.requests.length, 2)
      })
    ).pipe(unhurried([], expired))
  })

  it.live("is retried for 5 minutes when its server restarts after 6 minutes", () => {
    const waits: Array<number> = []
    return withModel(dialect, (model, server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        server.script = (_, count) => {
          if (count > 1) return count > 4 ? { text: "A mug." } : { status: 503 }
          return (response) =>
            Effect.runFork(
              Effect.andThen(
                clock.sleep(Duration.minutes(6)),
                Effect.sync(() => response.destroy())
              )
            )
        }
        assert.strictEqual((yield* call(model)).text, "A mug.")
        assert.strictEqual(server.requests.length, 5)
      })
    ).pipe(unhurried(waits))
  })

  it.live("isn't retried with a limit of 0, even if its server asks for an immediate retry", () =>
    withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = () => ({ status: 503, headers: { "retry-after": "0" } })
          yield* Effect.flip(call(model))
          assert.strictEqual(server.requests.length, 1)
        }),
      (config) => ({ ...config, retryFor: Duration.zero })
    )
  )

  it.live("times out at its configured limit, and is retried", () => {
    const arrived = Promise.withResolvers<void>()
    let limits = 0
    const expired = Effect.suspend(() => (++limits === 1 ? Effect.promise(() => arrived.promise) : Effect.never))
    return withModel(
      dialect,
      (model, server) =>
        Effect.gen(function* () {
          server.script = (_, count) => (count === 1 ? () => arrived.resolve() : { text: "A mug." })
          assert.strictEqual((yield* call(model)).text, "A mug.")
          assert.strictEqual(server.requests.length, 2)
        }),
      (config) => ({ ...config, requestTimeout: Duration.minutes(1) })
    ).pipe(unhurried([], expired, Duration.minutes(1)))
  })

  it.live("can last longer than Node's fetch waits for a response", () =>
    Effect.gen(function* () {
      const silent = yield* silentServer
      // Node's limit of 5 minutes, but shorter
      yield* withHeadersTimeout(200)
      yield* withModel(dialect, (model, server) =>
        Effect.gen(function* () {
          // a request that begins later than the model's fails at that limit
          server.script = (_, count) =>
            fetch(silent).then(
              () => ({ status: 500 }),
              () => ({ text: `Response ${count}` })
            )
          assert.strictEqual((yield* call(model)).text, "Response 1")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("reports an unreadable response, and an address where no server listens", () =>
    Effect.gen(function* () {
      yield* withModel(dialect, (model, server) =>
        Effect.gen(function* () {
          server.script = () => (response) =>
            void response.writeHead(200, { "content-type": "text/html" }).end("<html>")
          const error = yield* Effect.flip(call(model))
          assert.include(said(error), "Model first-1 sent a response that cannot be read")
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
