import { assert, layer } from "@effect/vitest"
import { Traces } from "@webagent/engine"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Tracer from "effect/Tracer"
import * as Dialogue from "../../src/model/Dialogue.ts"
import { call, carriedOut, done, numberOf, Running, script } from "./running.ts"

const canary = "canary-hunter2"

const logs: Array<unknown> = []
const lines: Array<string> = []
const spans: Array<Tracer.NativeSpan> = []

const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})

const layers = Running.layer({
  record: (_, exchange) => Effect.sync(() => void lines.push(Dialogue.lineOf(exchange))),
  approve: (action) => Effect.as(Effect.logInfo("approved", action), undefined)
}).pipe(
  Layer.provide(Layer.succeed(Traces.Traces, { tracer, runs: new Map(), hasContents: true })),
  Layer.provide(Logger.layer([Logger.make(({ cause, message }) => void logs.push(message, Cause.pretty(cause)))]))
)

layer(layers, { excludeTestServices: true })("a secret", (it) => {
  it.effect("appears in no look, result, step, picture, span, recorded dialogue or log of a run", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { model, pictures, site, store } = running
      const code = (now: Running["Service"]) => numberOf(now, "Code")
      script(
        running,
        call("navigate", { url: `${site.origin}/shows` }),
        (now) => call("type", { index: code(now), text: "<secret:pin>" }),
        // the page shows it, and its address has it
        (now) => call("click", { index: code(now) }),
        call("read"),
        (now) => call("read", { index: code(now) }),
        call("find", { text: "canary" }),
        call("highlight", { text: canary }),
        // the server fails, and the run waits for it
        { status: 500 },
        call("note", { text: canary, plan: canary }),
        call("navigate", { url: `http://127.0.0.1:1/${canary}` }),
        call("teapot", { text: canary }),
        call("navigate", { url: `${site.origin}/plain?q=${canary}` }),
        done({ code: canary })
      )
      const { session, turn } = yield* carriedOut("Sign in", {
        secrets: [
          {
            alias: "pin",
            domains: [new URL(site.origin).host],
            source: { type: "inline" as const, value: Redacted.make(canary) }
          }
        ]
      })
      assert.strictEqual(turn.status, "completed", String(turn.error))
      const steps = yield* store.stepsOf(turn.id)
      // each kind has something
      assert.isAbove(steps.length, 8)
      const spanTexts = spans.map(({ attributes, events, name, status }) => [name, [...attributes], events, status])
      const all = {
        // what the model itself wrote, also as a note, is sent back as it is
        requests: model.requests.flatMap(({ messages }) =>
          messages.flatMap(({ role, text }) => (role === "assistant" ? [] : [text.replace(/^Your plan:[^<]*/u, "")]))
        ),
        steps,
        turn,
        session,
        spans: spanTexts,
        lines,
        logs
      }
      for (const [name, texts] of Object.entries(all)) {
        const text = JSON.stringify(texts, (_, value) => (typeof value === "bigint" ? String(value) : value))
        assert.isAbove(text.length, 100, name)
        assert.notInclude(text, "hunter2", name)
      }
      // no picture while the page shows it
      const withPictures = steps.flatMap(({ ordinal, picture }) => (picture === null ? [] : [ordinal]))
      assert.includeMembers(withPictures, [1, 2])
      assert.isEmpty(
        withPictures.filter((ordinal) => ordinal > 2 && ordinal < 9),
        String(withPictures)
      )
      assert.strictEqual(pictures.size, withPictures.length)
    })
  )
})
