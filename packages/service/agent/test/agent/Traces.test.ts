import { assert, layer } from "@effect/vitest"
import { Traces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import * as Redacted from "effect/Redacted"
import { call, carriedOut, done, numberOf, Running, script } from "./running.ts"

const spans: Array<Tracer.NativeSpan> = []
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    spans.push(span)
    return span
  }
})
const exporting = (hasContents: boolean) => Layer.succeed(Traces.Traces, { tracer, runs: new Map(), hasContents })

/** The agent's spans so far, each once. */
const agentSpans = () => spans.splice(0).filter(({ name }) => /^(?:invoke_agent|chat|execute_tool) /u.test(name))

layer(Layer.provide(Running.layer(), exporting(false)), { excludeTestServices: true })(
  "the exported spans of a run",
  (it) => {
    it.effect("follow the conventions for generative AI, and include no contents", () =>
      Effect.gen(function* () {
        const running = yield* Running
        script(
          running,
          call("navigate", { url: `${running.site.origin}/plain` }),
          { ...call("teapot", { text: "teapot" }), text: "teapot" },
          { ...call("hover", { text: "teapot" }), usage: { input: 123, output: 45 } },
          done("teapot")
        )
        const { session } = yield* carriedOut("Find the teapot")
        const agent = agentSpans()
        assert.deepStrictEqual(
          agent.map(({ name }) => name),
          [
            "invoke_agent webagent",
            "chat scripted-1",
            "execute_tool navigate",
            "chat scripted-1",
            "chat scripted-1",
            "execute_tool hover",
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
        const tool = Object.fromEntries(others[4]?.attributes ?? [])
        assert.match(String(tool["gen_ai.tool.call.id"]), /^call_/u)
        // the page has no such text
        assert.strictEqual(tool["error.type"], "Refused")
        assert.isUndefined(others[1]?.attributes.get("error.type"))
        assert.notInclude(JSON.stringify(agent.map(({ attributes, name }) => [name, ...attributes])), "teapot")
      })
    )
  }
)

layer(Layer.provide(Running.layer(), exporting(true)), { excludeTestServices: true })("spans with contents", (it) => {
  it.effect("include the messages and calls of a run, but no secret", () =>
    Effect.gen(function* () {
      const running = yield* Running
      const { origin } = running.site
      const canary = 'canary "hunter2"\\'
      script(
        running,
        call("navigate", { url: `${origin}/shows` }),
        (now) => ({
          ...call("type", { index: numberOf(now, "Code"), text: "<secret:pin>" }),
          thought: "I type it.",
          text: "Typing."
        }),
        // a model can have guessed the value, also in a call of a tool
        { ...call("note", { text: canary }), text: canary },
        done({ [canary]: canary })
      )
      const { turn } = yield* carriedOut(`Sign in with ${canary}`, {
        secrets: [
          {
            alias: "pin",
            domains: [new URL(origin).host],
            source: { type: "inline" as const, value: Redacted.make(canary) }
          }
        ]
      })
      assert.strictEqual(turn.status, "completed")
      const agent = agentSpans()
      const chats = agent.filter(({ name }) => name.startsWith("chat "))
      const contents = (span: Tracer.NativeSpan | undefined, name: string) =>
        JSON.parse(String(span?.attributes.get(`gen_ai.${name}`)))
      assert.include(contents(chats[1], "system_instructions")[0].content, "You operate a web browser")
      const input = contents(chats[1], "input.messages")
      assert.deepStrictEqual(
        input.map(({ role }: { readonly role: string }) => role),
        ["user", "assistant", "tool", "user"]
      )
      assert.include(input[0].parts[0].content, "Task: Sign in with <secret:pin>")
      assert.strictEqual(input[1].parts[0].name, "navigate")
      assert.strictEqual(input[2].parts[0].id, input[1].parts[0].id)
      assert.include(input[3].parts[0].content, 'textbox "Code"')
      const [output] = contents(chats[1], "output.messages")
      assert.deepInclude(output, { role: "assistant", finish_reason: "tool_call" })
      const [thought, said, made] = output.parts
      assert.deepStrictEqual(thought, { type: "reasoning", content: "I type it." })
      assert.deepStrictEqual(said, { type: "text", content: "Typing." })
      assert.deepInclude(made, { type: "tool_call", name: "type" })
      assert.strictEqual(made.arguments.text, "<secret:pin>")
      // the page shows it
      assert.include(contents(chats[2], "input.messages").at(-1).parts[0].content, "?q=<secret:pin>")
      const typed = agent.find(({ name }) => name === "execute_tool type")
      assert.strictEqual(contents(typed, "tool.call.arguments").text, "<secret:pin>")
      assert.include(String(typed?.attributes.get("gen_ai.tool.call.result")), "Typed")
      const noted = agent.find(({ name }) => name === "execute_tool note")
      assert.strictEqual(contents(noted, "tool.call.arguments").text, "<secret:pin>")
      const all = JSON.stringify(agent.map(({ attributes, name }) => [name, ...attributes]))
      for (const hidden of ["hunter2", "sk-scripted"]) assert.notInclude(all, hidden)
    })
  )
})
