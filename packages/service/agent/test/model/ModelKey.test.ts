import type { ModelReply } from "@webagent/scripted-model"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { call, dialects, key, withModel, unhurried } from "./asking.ts"

describe("a model's key", () => {
  it.live("is in no span, log or error, whatever the server returns", () => {
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
