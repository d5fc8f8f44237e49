import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Browsers, Runs, Sessions, V4 } from "../src/index.ts"
import { answering, elapse, json } from "./virtual.ts"

// in plain JavaScript, no type says that a name is misspelt

const odd = (options: unknown) => options as object

const messageOf = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "it succeeded"))

describe("a misspelled option of an Effect client", () => {
  it.effect("is refused by each call before anything is sent, with the probable name", () => {
    const { layer, requests } = answering(() => json(200, { id: "r-1", status: "completed" }))
    return Effect.gen(function* () {
      const { browsers, runs, sessions } = yield* Effect.all({ browsers: Browsers, runs: Runs, sessions: Sessions })
      const timout = odd({ timout: "1 second" })
      const calls = {
        create: runs.create({ task: "t" }, timout),
        get: runs.get("r-1", timout),
        untilTerminal: runs.untilTerminal("r-1", timout),
        createAndWait: runs.createAndWait({ task: "t" }, timout),
        runAll: runs.runAll([{ task: "t" }], timout),
        watch: Stream.runDrain(runs.watch("r-1", timout)),
        list: Stream.runDrain(runs.list(timout)),
        listPage: runs.listPage(timout),
        queue: sessions.queue("s-1", { text: "t" }, timout),
        followUpAndWait: sessions.followUpAndWait("s-1", "t", timout),
        purge: sessions.purge("s-1", timout),
        use: browsers.use({}, () => Effect.void, timout),
        stop: browsers.stop("b-1", timout)
      }
      for (const [name, call] of Object.entries(calls)) {
        const message = "TypeError: timout is not an option. Did you mean timeout?"
        assert.strictEqual(yield* messageOf(call), message, name)
      }
      const end = runs.createAndWait({ task: "t" }, odd({ onend: "cancel" }))
      assert.strictEqual(yield* messageOf(end), "TypeError: onend is not an option. Did you mean onEnd?")
      const limit = Stream.runDrain(runs.list(odd({ limt: 5 })))
      assert.strictEqual(yield* messageOf(limit), "TypeError: limt is not an option. Did you mean limit?")
      const time = runs.untilTerminal("r-1", odd(5000))
      assert.strictEqual(yield* messageOf(time), "TypeError: options must be an object with fields; got 5000.")
      assert.deepStrictEqual(requests(), [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is ignored if it's null", () => {
    const { layer } = answering((method) =>
      json(method === "POST" ? 201 : 200, { id: "r-1", runId: "r-1", status: "completed" })
    )
    return Effect.gen(function* () {
      const runs = yield* Runs
      const sessions = yield* Sessions
      const none = odd(null)
      assert.strictEqual((yield* runs.get("r-1", none)).status, "completed")
      assert.strictEqual((yield* runs.untilTerminal("r-1", none)).status, "completed")
      assert.strictEqual((yield* Effect.flip(runs.create(null as never, none)))._tag, "TransportError")
      for (const wait of [
        runs.createAndWait({ task: "t" }, none),
        runs.runAll([{ task: "t" }], none),
        sessions.followUpAndWait("s-1", "And June?", none)
      ]) {
        const fiber = yield* Effect.forkChild(wait as Effect.Effect<unknown, unknown>)
        yield* elapse("3 seconds")
        yield* Fiber.join(fiber)
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("is refused by the layer", () =>
    Effect.gen(function* () {
      const messages = yield* Effect.forEach(
        [
          { baseURl: "https://agents.example.com" },
          { timeouts: { totl: "1 second" } },
          { target: { idempotence: "honoured" } },
          { baseUrls: { v5: "https://agents.example.com" } },
          { onInterrupt: "stop" }
        ],
        (options) =>
          messageOf(Effect.scoped(Layer.build(V4.layer({ apiKey: "k", baseUrl: "http://h", ...odd(options) }))))
      )
      assert.deepStrictEqual(messages, [
        "ClientConfigError: baseURl is not an option. Did you mean baseUrl?",
        "ClientConfigError: timeouts.totl is not an option. Did you mean timeouts.total?",
        "ClientConfigError: target.idempotence is not an option. Did you mean target.idempotency?",
        "ClientConfigError: baseUrls.v5 is not an option. Did you mean baseUrls.v2?",
        'ClientConfigError: onInterrupt must be one of continue, cancel; got "stop".'
      ])
    })
  )
})
