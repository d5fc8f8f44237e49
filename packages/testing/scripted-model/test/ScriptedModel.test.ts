import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ModelReply, ScriptedModel } from "../src/ScriptedModel.ts"

const post = (url: string, body: unknown) =>
  Effect.promise(async () => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) })
    return { status: response.status, text: await response.text() }
  })

const chat = { model: "m", messages: [{ role: "user", content: "Hello" }] }

describe("ScriptedModel", () => {
  it.live("responds when its script does, and stores the request", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel
      const reply = Promise.withResolvers<ModelReply>()
      model.script = ({ text }) => {
        reply.resolve({ text: `You said ${text}.` })
        return reply.promise
      }
      const { text } = yield* post(`${model.baseUrl.openai}/chat/completions`, chat)
      assert.include(text, "You said Hello.")
      assert.deepStrictEqual(
        model.requests.map(({ body, dialect, model }) => ({ body, dialect, model })),
        [{ body: chat, dialect: "openai-compatible", model: "m" }]
      )
    }).pipe(Effect.provide(ScriptedModel.layer))
  )

  it.live("reports a missing script, a script that fails, and an address of no dialect", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel
      const url = `${model.baseUrl.openai}/chat/completions`
      assert.include((yield* post(url, chat)).text, "This model has no script.")
      model.script = () => {
        throw new Error("no page")
      }
      const failed = yield* post(url, chat)
      assert.strictEqual(failed.status, 500)
      assert.include(failed.text, "The script failed: Error: no page")
      const unknown = yield* post(`${model.baseUrl.openai}/embeddings`, {})
      assert.strictEqual(unknown.status, 404)
      assert.include(unknown.text, "This model does not know POST /v1/embeddings.")
    }).pipe(Effect.provide(ScriptedModel.layer))
  )
})
