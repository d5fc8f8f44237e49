import { Traces } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { Answer } from "./AiSdkMessages.ts"
import * as GenAiMessages from "./GenAiMessages.ts"
import type { Dialect } from "./ModelConfig.ts"
import { mapTexts } from "./Texts.ts"

/** The version of OpenTelemetry's semantic conventions that has these names and attributes. */
export const conventions = "1.38.0"

/** Hides secrets in the contents of spans. With null, spans have no contents. */
export const Contents: Context.Reference<((text: string) => string) | null> = Context.Reference(
  "@webagent/agent/Contents",
  { defaultValue: (): ((text: string) => string) | null => null }
)

/** Adds contents to the exported span around this effect, if spans have contents. */
const addContents = (contents: () => Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    const hide = fiber.getRef(Contents)
    const span = fiber.getRef(Traces.CurrentSpan)
    if (hide === null || span?._tag !== "Span") return Effect.void
    return Effect.sync(() => {
      for (const [name, value] of Object.entries(contents())) {
        span.attribute(name, typeof value === "string" ? hide(value) : JSON.stringify(mapTexts(value, hide)))
      }
    })
  })

type Attributes = Readonly<Record<string, string | number>>

/** Adds a span for Effect's tracer and one that a server exports. Attributes have no contents of tasks and pages. */
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

/** Adds the tokens of a response to the exported span of its request, and what was said if spans have contents. */
export const answered = (
  { prompt }: Pick<LanguageModel.ProviderOptions, "prompt">,
  { parts, usage: { inputTokens, outputTokens } }: Answer
): Effect.Effect<void> =>
  Effect.andThen(
    Effect.map(Traces.CurrentSpan, (span) => {
      if (span?._tag !== "Span") return
      if (inputTokens.total !== undefined) span.attribute("gen_ai.usage.input_tokens", inputTokens.total)
      if (outputTokens.total !== undefined) span.attribute("gen_ai.usage.output_tokens", outputTokens.total)
    }),
    addContents(() => ({
      "gen_ai.system_instructions": GenAiMessages.instructionsOf(prompt),
      "gen_ai.input.messages": GenAiMessages.inputOf(prompt),
      "gen_ai.output.messages": GenAiMessages.outputOf(parts)
    }))
  )

/** A call of a tool. Its name must be one of the agent's own. A call that fails has the `error.type` of its failure. */
export const executeTool =
  (name: string, callId: string, params: unknown) =>
  <E, R>(run: Effect.Effect<string, E, R>) =>
    addContents(() => ({ "gen_ai.tool.call.arguments": params })).pipe(
      Effect.andThen(run),
      Effect.tap((result) => addContents(() => ({ "gen_ai.tool.call.result": result }))),
      around("execute_tool", name, {
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        // a model makes it up
        "gen_ai.tool.call.id": /^[\w-]{1,64}$/u.test(callId) ? callId : "unreadable"
      })
    )
