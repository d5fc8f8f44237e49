import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, type Received, ScriptedServer, write } from "@webagent/scripted-server"
import { dialects } from "./Dialect.ts"
import type { ModelFailure, ModelReply, ModelRequest } from "./Exchange.ts"

export { signature } from "./Dialect.ts"
export type * from "./Exchange.ts"

/** A language model that answers what its script says, over real HTTP. */
export class ScriptedModel extends Context.Service<
  ScriptedModel,
  {
    /** Base URL of each dialect. */
    readonly baseUrl: Readonly<Record<"openai-compatible" | "openai" | "anthropic" | "google", string>>
    readonly requests: Array<ModelRequest>
    /** Number of requests that their client aborted before the response. */
    abandoned: number
    script: (request: ModelRequest, count: number) => ModelReply | Promise<ModelReply>
  }
>()("@webagent/scripted-model/ScriptedModel") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(ScriptedServer, (server) => {
      const v1 = `${server.address}/v1`
      const model: ScriptedModel["Service"] = {
        baseUrl: { "openai-compatible": v1, openai: v1, anthropic: v1, google: `${server.address}/v1beta` },
        requests: [],
        abandoned: 0,
        script: () => ({ status: 500, message: "This model has no script." })
      }
      server.script = (received) => answer(model, received)
      return model
    })
  ).pipe(Layer.provide(ScriptedServer.layer))
}

const fail = ({ headers, message = "scripted", status }: ModelFailure): Answer => ({
  status,
  json: { type: "error", error: { type: "scripted", message, code: status, status: String(status) } },
  ...(headers === undefined ? {} : { headers })
})

const answer = (model: ScriptedModel["Service"], { body: sent, headers, method, url }: Received): Answer => {
  const [path = ""] = url.split("?")
  const dialect = dialects.find(({ pattern }) => pattern.test(path))
  if (method !== "POST" || dialect === undefined) {
    return fail({ status: 404, message: `This model does not know ${method} ${path}.` })
  }
  const body = JSON.parse(sent)
  const read = dialect.read(body, path)
  const request = { dialect: dialect.name, headers, body, text: read.messages.at(-1)?.text ?? "", ...read }
  const count = model.requests.push(request)
  return (response) => {
    response.on("close", () => {
      if (!response.writableEnded) model.abandoned += 1
    })
    const send = (reply: ModelReply) => {
      if (response.destroyed) return
      if (typeof reply === "function") return reply(response)
      write(response, "status" in reply ? fail(reply) : { json: dialect.write(reply, `call_${count}`) })
    }
    Promise.resolve()
      .then(() => model.script(request, count))
      .then(send, (error: unknown) => send({ status: 500, message: `The script failed: ${String(error)}` }))
  }
}
