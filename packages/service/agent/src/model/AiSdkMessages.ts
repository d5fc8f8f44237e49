import * as Tool from "effect/ai/Tool"
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FilePart,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4Usage
} from "@ai-sdk/provider"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import type { ModelConfig } from "./ModelConfig.ts"
import * as WrittenCalls from "./WrittenCalls.ts"

type AssistantPart = Extract<LanguageModelV4Message, { readonly role: "assistant" }>["content"][number]
type UserPart = Extract<LanguageModelV4Message, { readonly role: "user" }>["content"][number]
type ProviderOptions = NonNullable<LanguageModelV4FilePart["providerOptions"]>

/** Options of a provider ride on messages and parts: cache breakpoints, and the signatures of thoughts. */
const options = (providerOptions: Prompt.ProviderOptions): { readonly providerOptions?: ProviderOptions } =>
  // both are JSON by provider
  Object.keys(providerOptions).length === 0 ? {} : { providerOptions: providerOptions as ProviderOptions }

/** Services refuse a name with other characters, also one that the model itself got wrong. */
const nameOf = (name: string): string => name.replaceAll(/[^\w-]/gu, "_").slice(0, 64) || "unnamed"

/** Services refuse a call whose input is no object, also one that the model itself got wrong. */
const inputOf = (params: unknown): unknown =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? params : { input: params }

/** The id of a call, or one of its own where another call has it. */
const unused = (taken: Set<string>, id: string): string => {
  let free = id
  for (let count = 1; taken.has(free); count++) free = `${id}_${count}`
  taken.add(free)
  return free
}

/** Settings for writing a prompt for a model. */
interface Writing {
  readonly sees: boolean
  /** The id of a call, then that of its result. */
  readonly idOfCall: (id: string) => string
  readonly idOfResult: (id: string) => string
}

/** Vendors refuse an id with other characters and one that a call has already: those of another model's answers. */
const vendorIds = (): Pick<Writing, "idOfCall" | "idOfResult"> => {
  const taken = new Set<string>()
  const newest = new Map<string, string>()
  return {
    idOfCall: (id) => {
      const sent = unused(taken, id.replaceAll(/[^\w-]/gu, "_").slice(0, 56) || "call")
      newest.set(id, sent)
      return sent
    },
    idOfResult: (id) => newest.get(id) ?? id
  }
}

const same = (id: string) => id

const assistantPart = (
  part: Prompt.AssistantMessage["content"][number],
  { idOfCall }: Writing
): ReadonlyArray<AssistantPart> => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text, ...options(part.options) }]
    case "tool-call":
      return [
        {
          type: "tool-call",
          toolCallId: idOfCall(part.id),
          toolName: nameOf(part.name),
          input: inputOf(part.params),
          ...options(part.options)
        }
      ]
    default:
      return []
  }
}

/** Marks the end of Anthropic's cache. The others cache the beginning of a prompt by themselves. */
export const breakpoint = { anthropic: { cacheControl: { type: "ephemeral" } } } as const

const message = (one: Prompt.Message, writing: Writing): LanguageModelV4Message => {
  const { idOfResult, sees } = writing
  switch (one.role) {
    case "system":
      return { role: "system", content: one.content, ...options({ ...breakpoint, ...one.options }) }
    case "user":
      return {
        role: "user",
        content: one.content.flatMap((part): ReadonlyArray<UserPart> => {
          if (part.type === "text") return [{ type: "text", text: part.text, ...options(part.options) }]
          // the agent sends no other files than pictures
          const { data, mediaType } = part
          return sees && !(data instanceof URL) ? [{ type: "file", mediaType, data: { type: "data", data } }] : []
        }),
        ...options(one.options)
      }
    case "assistant":
      return {
        role: "assistant",
        content: one.content.flatMap((part) => assistantPart(part, writing)),
        ...options(one.options)
      }
    case "tool":
      return {
        role: "tool",
        content: one.content.flatMap((part) =>
          part.type === "tool-result"
            ? [
                {
                  type: "tool-result" as const,
                  toolCallId: idOfResult(part.id),
                  toolName: nameOf(part.name),
                  // the agent's results are sentences
                  output: {
                    type: part.isFailure ? ("error-text" as const) : ("text" as const),
                    value: String(part.result)
                  },
                  ...options(part.options)
                }
              ]
            : []
        ),
        ...options(one.options)
      }
  }
}

/** The messages as a provider takes them; a model that does not see is sent no pictures. */
export const toPrompt = (
  prompt: Prompt.Prompt,
  { dialect, sees = false }: Pick<ModelConfig, "dialect" | "sees">
): LanguageModelV4Prompt => {
  // some models that others serve know their calls by the form of the id
  const ids = dialect === "openai-compatible" ? { idOfCall: same, idOfResult: same } : vendorIds()
  return prompt.content.map((one) => message(one, { sees, ...ids }))
}

/**
 * A JSON Schema that effect has written, shorter and as strict providers take it: objects are closed, and the bounds that
 * only say "a safe integer" are left out.
 */
export const tidy = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(tidy)
  if (typeof schema !== "object" || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return []
      if (key === "additionalProperties" && value === true && "properties" in schema) return [[key, false]]
      return [[key, tidy(value)]]
    })
  )
}

/** Returns whether a request requires a call. */
export const requiresCall = ({ toolChoice }: LanguageModel.ProviderOptions): boolean => toolChoice === "required"

export const toTools = (
  request: LanguageModel.ProviderOptions,
  mayRequire: boolean
): Pick<LanguageModelV4CallOptions, "tools" | "toolChoice"> => {
  if (request.tools.length === 0) return {}
  return {
    toolChoice: { type: mayRequire && requiresCall(request) ? "required" : "auto" },
    tools: request.tools.map((tool) => {
      const description = Tool.getDescription(tool)
      return {
        type: "function",
        name: tool.name,
        // that of a dynamic tool may be a caller's: what that leaves open stays open
        inputSchema: (Tool.isDynamic(tool) ? Tool.getJsonSchema(tool) : tidy(Tool.getJsonSchema(tool))) as JSONSchema7,
        ...(description === undefined ? {} : { description })
      }
    })
  }
}

export const toFormat = ({
  responseFormat: format
}: LanguageModel.ProviderOptions): Pick<LanguageModelV4CallOptions, "responseFormat"> =>
  format.type === "text"
    ? {}
    : {
        responseFormat: {
          type: "json",
          name: format.objectName,
          schema: tidy(Tool.getJsonSchemaFromSchema(format.schema)) as JSONSchema7
        }
      }

const reasons: Readonly<Record<LanguageModelV4FinishReason["unified"], Response.FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  "tool-calls": "tool-calls",
  error: "error",
  interrupted: "pause",
  other: "other"
}

const counted = (tokens: number | undefined): number | undefined =>
  Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? tokens : undefined

/** A count that a provider leaves out, or that is not a count, stays unknown. */
const toUsage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): typeof Response.Usage.Encoded => ({
  inputTokens: {
    total: counted(inputTokens.total),
    uncached: counted(inputTokens.noCache),
    cacheRead: counted(inputTokens.cacheRead),
    cacheWrite: counted(inputTokens.cacheWrite)
  },
  outputTokens: {
    total: counted(outputTokens.total),
    text: counted(outputTokens.text),
    reasoning: counted(outputTokens.reasoning)
  }
})

/** The input of a call. What is not JSON stays text, so that the agent can tell the model. */
const params = (input: string): unknown => {
  if (input === "") return {}
  try {
    return Tool.unsafeSecureJsonParse(input)
  } catch {
    return input
  }
}

const part = (content: LanguageModelV4Content): ReadonlyArray<Response.PartEncoded> => {
  const metadata =
    "providerMetadata" in content && content.providerMetadata !== undefined
      ? { metadata: content.providerMetadata as Response.ProviderMetadata }
      : {}
  switch (content.type) {
    case "text":
    case "reasoning":
      return [{ type: content.type, text: content.text, ...metadata }]
    case "tool-call":
      return [
        {
          type: "tool-call",
          id: content.toolCallId,
          name: content.toolName,
          params: params(content.input),
          ...metadata
        }
      ]
    default:
      return []
  }
}

/** The content of a model's response, and its usage. */
export interface Answer {
  readonly parts: ReadonlyArray<Response.PartEncoded>
  readonly usage: Response.Usage
}

/**
 * Returns whether a model responded at all, because some providers read any JSON as a response without content. A
 * response that used tokens is charged.
 */
export const isAnswer = ({
  content,
  finishReason: { raw, unified },
  usage: { inputTokens }
}: LanguageModelV4GenerateResult): boolean =>
  content.length > 0 || unified !== "other" || raw !== undefined || Number(inputTokens.total) > 0

/** Adds the calls that a model wrote as text, if it made no others. Their ids begin with this one. */
const withWrittenCalls = (
  content: ReadonlyArray<LanguageModelV4Content>,
  tools: ReadonlyArray<string>,
  id: string
): ReadonlyArray<LanguageModelV4Content> => {
  if (content.some(({ type }) => type === "tool-call")) return content
  let count = 0
  return content.flatMap((one): ReadonlyArray<LanguageModelV4Content> => {
    if (one.type !== "text") return [one]
    const { calls, text } = WrittenCalls.read(one.text, tools)
    if (calls.length === 0) return [one]
    return [
      ...(text === "" ? [] : [{ ...one, text }]),
      ...calls.map(({ name, params }) => ({
        type: "tool-call" as const,
        toolCallId: `${id}_${count++}`,
        toolName: name,
        input: typeof params === "string" ? params : JSON.stringify(params)
      }))
    ]
  })
}

/** The answer; without the calls of a model that was offered no tools, which effect/ai could not read. */
export const toAnswer = (
  { content: received, finishReason, usage: used }: LanguageModelV4GenerateResult,
  tools: ReadonlyArray<string>,
  id: string,
  dialect: ModelConfig["dialect"]
): Answer => {
  const usage = toUsage(used)
  // the vendors' own servers recognize all calls
  const content = dialect === "openai-compatible" ? withWrittenCalls(received, tools, id) : received
  const ids = new Set<string>()
  const own = (one: LanguageModelV4Content): LanguageModelV4Content => {
    if (one.type !== "tool-call") return one
    return { ...one, toolCallId: unused(ids, one.toolCallId) }
  }
  return {
    parts: [
      ...content.filter(({ type }) => tools.length > 0 || type !== "tool-call").flatMap((one) => part(own(one))),
      { type: "finish", reason: reasons[finishReason.unified], usage }
    ],
    usage: new Response.Usage(usage)
  }
}
