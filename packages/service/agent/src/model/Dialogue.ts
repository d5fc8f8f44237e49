import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Tool from "effect/ai/Tool"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { Answer } from "./AiSdkMessages.ts"

/** A request to a model and its response: one line of a recorded dialogue. */
export const Exchange = Schema.Struct({
  model: Schema.String,
  /** A digest of the instructions, the tools and the format. If it changes, the recording is out of date. */
  prompt: Schema.String,
  /** The text of the newest message, with the page as the model was shown it. */
  shown: Schema.String,
  /** The parts of the response, without its signatures. */
  content: Schema.Array(Schema.Record(Schema.String, Schema.Json)),
  usage: Schema.Struct({ input: Schema.NullOr(Schema.Int), output: Schema.NullOr(Schema.Int) })
})

export type Exchange = typeof Exchange.Type

const Line = Schema.fromJsonString(Exchange)

/** Writes an exchange as a line of NDJSON. */
export const lineOf = (exchange: Exchange): string => `${JSON.stringify(exchange)}\n`

/** Reads a recorded dialogue, one exchange per line. Fails with the number of the line that can't be read. */
export const parse = (text: string): Effect.Effect<ReadonlyArray<Exchange>, Error> =>
  Effect.forEach(
    text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [{ line, number: index + 1 }])),
    ({ line, number }) =>
      Effect.mapError(
        Schema.decodeUnknownEffect(Line)(line),
        ({ message }) => new Error(`Line ${number} is no exchange of a recorded dialogue. ${message.slice(0, 200)}`)
      )
  )

const textsOf = ({ content }: LanguageModel.ProviderOptions["prompt"], role: string) =>
  content.flatMap((message) => {
    if (message.role !== role) return []
    const parts: ReadonlyArray<object> =
      typeof message.content === "string" ? [{ text: message.content }] : message.content
    return [parts.map((part) => ("text" in part ? String(part.text) : "")).join("\n")]
  })

/** Returns a digest of all that the agent itself sends: its instructions, its tools and the format that it wants. */
export const promptOf = ({ prompt, responseFormat, tools }: LanguageModel.ProviderOptions): string => {
  const described = tools.map((tool) => [tool.name, Tool.getDescription(tool) ?? "", Tool.getJsonSchema(tool)])
  const format =
    responseFormat.type === "text"
      ? "text"
      : [responseFormat.objectName, Tool.getJsonSchemaFromSchema(responseFormat.schema)]
  return hash("sha256", JSON.stringify([textsOf(prompt, "system"), described, format])).slice(0, 16)
}

/** The exchange of a request, with a change of its texts, such as one that hides secrets. */
export const exchangeOf = (
  model: string,
  request: LanguageModel.ProviderOptions,
  { parts, usage }: Answer,
  change: (text: string) => string
): Exchange => {
  const changed = (value: unknown): Schema.Json => JSON.parse(change(JSON.stringify(value)))
  return {
    model,
    prompt: promptOf(request),
    shown: change(textsOf(request.prompt, "user").at(-1) ?? ""),
    content: parts
      .filter(({ type }) => type !== "finish")
      .map((part) =>
        changed(Object.fromEntries(Object.entries(part).filter(([name]) => name !== "metadata")))
      ) as ReadonlyArray<Schema.JsonObject>,
    usage: { input: usage.inputTokens.total ?? null, output: usage.outputTokens.total ?? null }
  }
}
