import { assert, layer } from "@effect/vitest"
import { Traces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { call, carriedOut, done, Running, script } from "./running.ts"

const spans: Array<Tracer.NativeSpan> = []
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})
const exporting = Layer.succeed(Traces.Traces, { tracer, runs: new Map() })

layer(Layer.provide(Running.layer(), exporting), { excludeTestServices: true })("the exported spans of a run", (it) => {
  it.effect("follow the conventions for generative AI, and have no contents", () =>
    Effect.gen(function* () {
      const running = yield* Running
      script(
        running,
        call("navigate", { url: `${running.site.origin}/plain` }),
        { ...call("teapot", { text: "teapot" }), text: "teapot" },
        { ...call("find", { text: "teapot" }), usage: { input: 123, output: 45 } },
        done("teapot")
      )
      const { session } = yield* carriedOut("Find the teapot")
      const agent = spans.filter(({ name }) => /^(?:invoke_agent|chat|execute_tool) /u.test(name))
      assert.deepStrictEqual(
        agent.map(({ name }) => name),
        [
          "invoke_agent webagent",
          "chat scripted-1",
          "execute_tool navigate",
          "chat scripted-1",
          "chat scripted-1",
          "execute_tool find",
          "chat scripted-1"
        ]
      )
      const [root, ...others] = agent
      assert.strictEqual(root?.attributes.get("gen_ai.conversation.id"), session.id)
      for (const { parent } of others) assert.strictEqual(Option.getOrUndefined(parent)?.spanId, root?.spanId)
      assert.deepStrictEqual(Object.fromEntries(others[3]?.attributes ?? []), {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai_compatible",
        "gen_ai.request.model": "scripted-1",
        "gen_ai.usage.input_tokens": 123,
        "gen_ai.usage.output_tokens": 45
      })
      assert.notInclude(JSON.stringify(spans.map(({ attributes, name }) => [name, ...attributes])), "teapot")
    })
  )
})
