import { Traces } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Response from "effect/ai/Response"
import type { Dialect } from "./ModelConfig.ts"

/** The version of OpenTelemetry's semantic conventions that has these names and attributes. */
export const conventions = "1.37.0"

type Attributes = Readonly<Record<string, string | number>>

/** Adds a span for Effect's tracer and one that a server exports. Attributes must have no contents of tasks and pages. */
const around =
  (operation: string, name: string, attributes: Attributes, options: Omit<Traces.SpanOptions, "attributes"> = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) => {
    const all = { "gen_ai.operation.name": operation, ...attributes }
    const title = `${operation} ${name}`
    return effect.pipe(
      Effect.withSpan(title, { attributes: all }),
      Traces.traced(title, { ...options, attributes: all })
    )
  }

/** The work of an agent on one task of a session. */
export const invokeAgent = (sessionId: string, model: string) =>
  around(
    "invoke_agent",
    "webagent",
    { "gen_ai.agent.name": "webagent", "gen_ai.conversation.id": sessionId, "gen_ai.request.model": model },
    { sessionId }
  )

const providers: Readonly<Record<Dialect, string>> = {
  "openai-compatible": "openai_compatible",
  openai: "openai",
  anthropic: "anthropic",
  google: "gcp.gemini"
}

/** A request to a model with its retries. */
export const chat = ({ dialect, model }: { readonly dialect: Dialect; readonly model: string }) =>
  around(
    "chat",
    model,
    { "gen_ai.provider.name": providers[dialect], "gen_ai.request.model": model },
    { kind: "client" }
  )

/** Adds the tokens of a response to the exported span of its request. */
export const used = ({ inputTokens, outputTokens }: Response.Usage): Effect.Effect<void> =>
  Effect.map(Traces.CurrentSpan, (span) => {
    if (span?._tag !== "Span") return
    if (inputTokens.total !== undefined) span.attribute("gen_ai.usage.input_tokens", inputTokens.total)
    if (outputTokens.total !== undefined) span.attribute("gen_ai.usage.output_tokens", outputTokens.total)
  })

/** A call of a tool. Its name must be one of the agent's own. */
export const executeTool = (name: string) =>
  around("execute_tool", name, { "gen_ai.tool.name": name, "gen_ai.tool.type": "function" })
