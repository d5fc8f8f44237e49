import { type ModelReply, ScriptedModel } from "@webagent/scripted-model"
import { type ModelConfig, ModelCost, ModelError, Models, OnSpent, type Spent } from "@webagent/agent"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { dialects } from "./asking.ts"
import { unhurried } from "./asking.ts"

type Dialect = ModelConfig.Dialect

const search = Tool.dynamic("search", { description: "Search", parameters: { type: "object", properties: {} } })
const toolkit: Toolkit.WithHandler<Record<string, typeof search>> = {
  tools: { search },
  handle: () => Effect.die("the test carries out no call")
}

/** An answer of either kind. */
interface Answered {
  readonly text: string
  readonly finishReason: string
  readonly content: ReadonlyArray<Response.AnyPart>
}

const read = ({ content, finishReason, text }: Answered) => ({
  text,
  finishReason,
  calls: content.flatMap((part) => (part.type === "tool-call" ? [part] : []))
})

const acting = (model: LanguageModel.LanguageModel) =>
  model
    .generateText({
      prompt: "Find a mug",
      toolkit,
      toolChoice: "required",
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
    .pipe(Effect.map(read))

interface Asked {
  readonly apiKey?: string
  readonly hasTools?: boolean
}

/** What comes of one call, to a model that answers so: the sentence of its failure, or its parts. */
const asked = (dialect: Dialect, reply: ModelReply, { apiKey, hasTools = true }: Asked = {}) =>
  Effect.gen(function* () {
    const server = yield* ScriptedModel
    server.script = () => reply
    const spent: Array<Spent> = []
    const config: ModelConfig.ModelConfig = {
      dialect,
      model: "first-1",
      baseUrl: server.baseUrl[dialect],
      ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }),
      price: ModelCost.price({ input: "3", output: "15" })
    }
    const outcome = yield* Models.pipe(
      Effect.flatMap(({ forTurn }) => forTurn),
      Effect.flatMap((model) =>
        hasTools ? acting(model) : Effect.map(model.generateText({ prompt: "Sum up" }), read)
      ),
      Effect.match({
        onSuccess: (answer) => ({ answer, sentence: "" }),
        onFailure: (error) => ({ answer: undefined, sentence: ModelError.sentence(error) })
      }),
      Effect.provideService(OnSpent, (one) => Effect.sync(() => void spent.push(one))),
      Effect.provide(Models.layer(config))
    )
    return { ...outcome, spent }
  }).pipe(unhurried([]), Effect.provide(ScriptedModel.layer))

const key = "sk-canary-7f3a9c"

/** An answer with status 200 and this body. */
const body =
  (text: unknown): ModelReply =>
  (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(typeof text === "string" ? text : JSON.stringify(text))

const cut: ModelReply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "500" })
  response.write('{"id":"1","choices":[', () => response.destroy())
}

const unreadable = (why: string) =>
  `Model first-1 sent a response that cannot be read (${why}). Check the address of the model and its dialect.`

/** An answer in each dialect whose content is of another type. */
const mistyped: Readonly<Record<Dialect, unknown>> = {
  "openai-compatible": { choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: 42 } }] },
  openai: { id: "1", created_at: 1, model: "m", output: [42], usage: { input_tokens: 1, output_tokens: 1 } },
  anthropic: { type: "message", id: "1", model: "m", content: [42], usage: { input_tokens: 1, output_tokens: 1 } },
  google: { candidates: [{ content: { role: "model", parts: 42 }, finishReason: "STOP" }] }
}

/** An answer in each dialect without anything in it. */
const empty: Readonly<Record<Dialect, unknown>> = {
  "openai-compatible": { id: "1", created: 1, model: "m", choices: [] },
  openai: {},
  anthropic: {},
  google: { candidates: [] }
}

/** Why each dialect says that an answer was withheld, and that it was cut. */
const refusals: Readonly<Record<Dialect, string>> = {
  "openai-compatible": "content_filter",
  openai: "content_filter",
  anthropic: "refusal",
  google: "SAFETY"
}
const lengths: Readonly<Record<Dialect, string>> = {
  "openai-compatible": "length",
  openai: "max_output_tokens",
  anthropic: "max_tokens",
  google: "MAX_TOKENS"
}

describe.each(dialects)("an unusual response in %s", (dialect) => {
  it.live.each([
    ["a page", "<html>\n<h1>Sign in</h1>", unreadable("it begins with <html> <h1>Sign in</h1>")],
    ["text", "busy", unreadable("it begins with busy")],
    ["empty", "", unreadable("it is empty")],
    ["a truncated response", '{"id":"1', unreadable('it begins with {"id":"1')],
    ["an error", { error: { message: "Upstream overloaded", code: 502 } }, unreadable("Upstream overloaded")],
    ["a short error", { error: "model is loading" }, unreadable("model is loading")],
    ["other JSON", [1], unreadable("it begins with [1]")]
  ])("fails with one sentence if it is %s", ([, text, expected]) =>
    Effect.map(asked(dialect, body(text)), ({ sentence }) => assert.strictEqual(sentence, expected))
  )

  it.live("fails with one sentence if it is empty or has the wrong type", () =>
    Effect.gen(function* () {
      for (const text of [empty[dialect], mistyped[dialect]]) {
        const { sentence } = yield* asked(dialect, body(text))
        assert.match(sentence, /^Model first-1 [^\n]+\. Check the [^\n]+\.$/u)
        assert.notMatch(sentence, /Expected|SchemaError|invalid_type/u)
      }
    })
  )

  it.live("fails with one sentence if it is cut off", () =>
    Effect.map(asked(dialect, cut), ({ sentence }) =>
      assert.strictEqual(
        sentence,
        "Model first-1 broke off in the middle of a response. Check that the model server is up, or try again later."
      )
    )
  )

  it.live("reports that it was withheld or truncated", () =>
    Effect.gen(function* () {
      const refused = yield* asked(dialect, { text: "I cannot.", finish: refusals[dialect] })
      assert.deepInclude(refused.answer, { text: "I cannot.", finishReason: "content-filter", calls: [] })
      const short = yield* asked(dialect, { text: "I", finish: lengths[dialect] })
      assert.deepInclude(short.answer, { text: "I", finishReason: "length", calls: [] })
    })
  )

  it.live("keeps a call of an unknown tool whose arguments aren't an object", () =>
    Effect.gen(function* () {
      const { answer } = yield* asked(dialect, { calls: [{ name: "fly away", input: '{"to":' }] })
      assert.deepStrictEqual(
        answer?.calls.map(({ name, params }) => [name, params]),
        [["fly away", '{"to":']]
      )
    })
  )

  it.live("keeps calls as text if no tool was offered", () =>
    Effect.gen(function* () {
      const { answer, sentence } = yield* asked(
        dialect,
        { text: "So far.", calls: [{ name: "search", input: {} }] },
        { hasTools: false }
      )
      assert.strictEqual(sentence, "")
      assert.deepInclude(answer, { text: "So far.", calls: [] })
    })
  )

  it.live("has an unknown cost if its token counts are invalid", () =>
    Effect.gen(function* () {
      for (const count of [-5, 1.5]) {
        const { answer, spent } = yield* asked(dialect, { text: "Hm.", usage: { output: count } })
        assert.strictEqual(answer?.text, "Hm.")
        assert.deepStrictEqual(
          spent.map(({ cost }) => cost),
          [null]
        )
      }
    })
  )
})

describe.each(dialects)("wrong configuration for %s", (dialect) => {
  const status =
    (statusCode: number, body: string, headers: Record<string, string> = {}): ModelReply =>
    (response) =>
      void response.writeHead(statusCode, headers).end(body)

  it.live.each([
    [
      "an unknown model name",
      status(404, '{"error":{"message":"no such model"}}'),
      /404 \(no such model\) at http:\S+/u
    ],
    ["a wrong address", status(404, "404 page not found"), /answered 404 \(Not Found\) at http:\S+\. Check the name/u],
    [
      "a model without tools",
      status(400, '{"message":"no tools here"}'),
      /400 \(no tools here\).* whether it calls tools/u
    ],
    ["a strict server", status(422, '{"detail":[{"msg":"extra"}]}'), /422 \(\[\{"msg":"extra"\}\]\)/u],
    ["no key", status(401, "{}"), /answered 401 \([^)]+\)\. Set the key of the model: none is set\.$/u],
    ["a missing key", status(403, "{}"), /answered 403 \([^)]+\)\. Set the key of the model: none is set\.$/u],
    [
      "a wrong key, reported like Google's",
      status(400, '{"error":{"message":"API key not valid. Please pass a valid API key."}}'),
      /answered 400 \(API key not valid\..*\)\. Set the key of the model: none is set\.$/u
    ],
    [
      "an empty account",
      status(402, '{"error":{"message":"no credits"}}'),
      /402 \(no credits\)\. Check the plan and the/u
    ],
    ["a gateway", status(502, "<html>\n502</html>"), /answered 502 \(Bad Gateway\)\. Check the model server/u]
  ] as const)("%s is one sentence", ([, reply, expected]) =>
    Effect.map(asked(dialect, reply), ({ sentence }) => {
      assert.match(sentence, expected)
      assert.match(sentence, /^Model first-1 [^\n]+\.$/u)
    })
  )

  it.live("doesn't follow a redirect, so that the key isn't sent elsewhere", () =>
    Effect.gen(function* () {
      const elsewhere = yield* ScriptedModel
      const { sentence } = yield* asked(dialect, status(307, "", { location: elsewhere.baseUrl[dialect] }))
      assert.match(
        sentence,
        /answered 307 .*, a redirect to http:\S+\. Set the address of the model to where it leads\.$/u
      )
      assert.isEmpty(elsewhere.requests)
    }).pipe(Effect.provide(Layer.fresh(ScriptedModel.layer)))
  )

  it.live("doesn't show the key in the address of a redirect", () =>
    Effect.gen(function* () {
      const { sentence } = yield* asked(
        dialect,
        status(302, "", { location: `http://someone:word@login.test/?token=${key}` }),
        { apiKey: key }
      )
      assert.include(sentence, "a redirect to http://login.test/?token=<key>. Set the address")
    })
  )
})

it.live("a key that fits in no header fails with one sentence that doesn't show it", () =>
  Effect.gen(function* () {
    const failed = Models.pipe(
      Effect.flatMap(({ forTurn }) => forTurn),
      Effect.flatMap((model) => model.generateText({ prompt: "Sum up" })),
      Effect.provide(
        Models.layer({ dialect: "openai-compatible", model: "first-1", apiKey: Redacted.make("sk-\u201cquoted\u201d") })
      ),
      Effect.flip
    )
    const error = yield* failed
    const sentence = error._tag === "AiError" ? ModelError.sentence(error) : error.message
    assert.match(sentence, /^Model first-1 cannot be asked \(.+\)\. Check its address and its key\.$/u)
    assert.notInclude(sentence, "quoted")
  })
)

it.live("a response without charged contents is counted", () =>
  Effect.gen(function* () {
    const { answer, sentence, spent } = yield* asked(
      "openai-compatible",
      body({
        choices: [{ index: 0, message: { role: "assistant", content: "" } }],
        usage: { prompt_tokens: 1000, completion_tokens: 0, total_tokens: 1000 }
      })
    )
    assert.strictEqual(sentence, "")
    assert.deepInclude(answer, { text: "", calls: [] })
    assert.deepStrictEqual(
      spent.map(({ usage }) => usage.inputTokens.total),
      [1000]
    )
  })
)

it.live("two calls with the same id get different ids", () =>
  Effect.gen(function* () {
    const call = { id: "1", type: "function", function: { name: "search", arguments: "{}" } }
    const message = { role: "assistant", content: null, tool_calls: [call, call] }
    const { answer } = yield* asked(
      "openai-compatible",
      body({ choices: [{ index: 0, finish_reason: "tool_calls", message }] })
    )
    assert.deepStrictEqual(
      answer?.calls.map(({ id }) => id),
      ["1", "1_1"]
    )
  })
)
