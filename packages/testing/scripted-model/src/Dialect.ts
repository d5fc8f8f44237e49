import type { ModelMessage, ModelRequest } from "./Exchange.ts"

/** JSON of a request, looked into without a schema. */
type Json = Readonly<Record<string, unknown>>

/** The differences between dialects. */
export interface Dialect {
  readonly name: ModelRequest["dialect"]
  readonly pattern: RegExp
  readonly read: (body: Json, url: string) => Omit<ModelRequest, "dialect" | "body" | "headers" | "text">
  readonly write: (reply: ModelMessage, id: string) => unknown
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null
const record = (value: unknown): Json => (isRecord(value) ? value : {})
const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.map(record) : [])
const string = (value: unknown): string => (typeof value === "string" ? value : "")

/** All that is text in content, wherever a dialect puts it. */
const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (Array.isArray(content))
    return content
      .map(textOf)
      .filter((text) => text !== "")
      .join("\n")
  if (!isRecord(content)) return ""
  const { functionResponse, text, thinking } = content
  if (functionResponse !== undefined) return JSON.stringify(record(functionResponse)["response"])
  return string(text) || string(thinking) || textOf(content["content"])
}

const count = (content: unknown, isImage: (part: Json) => boolean): number => list(content).filter(isImage).length

const counted = ({ usage }: ModelMessage) => ({
  input: 100,
  output: 20,
  cacheRead: 0,
  cacheWrite: 0,
  ...usage
})

const chat: Dialect = {
  name: "openai-compatible",
  pattern: /\/chat\/completions$/u,
  read: (body) => ({
    model: string(body["model"]),
    messages: list(body["messages"]).map(({ content, role }) => ({
      role: string(role),
      text: textOf(content),
      images: count(content, ({ type }) => type === "image_url")
    })),
    tools: list(body["tools"]).map((tool) => string(record(tool["function"])["name"])),
    toolChoice: body["tool_choice"],
    schema: record(record(body["response_format"])["json_schema"])["schema"]
  }),
  write: (reply, id) => {
    const { cacheRead, input, output } = counted(reply)
    const calls = reply.calls ?? []
    return {
      id,
      object: "chat.completion",
      created: 1_700_000_000,
      model: "scripted",
      choices: [
        {
          index: 0,
          finish_reason: reply.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
          message: {
            role: "assistant",
            content: reply.text ?? null,
            ...(reply.thought === undefined ? {} : { reasoning_content: reply.thought }),
            ...(calls.length === 0
              ? {}
              : {
                  tool_calls: calls.map(({ input, name }, index) => ({
                    id: `${id}_${index}`,
                    type: "function",
                    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) }
                  }))
                })
          }
        }
      ],
      ...(reply.usage === null
        ? {}
        : {
            usage: {
              prompt_tokens: input,
              completion_tokens: output,
              total_tokens: input + output,
              prompt_tokens_details: { cached_tokens: cacheRead }
            }
          })
    }
  }
}

const responses: Dialect = {
  name: "openai",
  pattern: /\/responses$/u,
  read: (body) => ({
    model: string(body["model"]),
    messages: list(body["input"]).map((item) => ({
      role: string(item["role"] ?? item["type"]),
      text: textOf(item["content"] ?? item["output"]),
      images: count(item["content"], ({ type }) => type === "input_image")
    })),
    tools: list(body["tools"]).map(({ name }) => string(name)),
    toolChoice: body["tool_choice"],
    schema: record(record(body["text"])["format"])["schema"]
  }),
  write: (reply, id) => {
    const { cacheRead, input, output } = counted(reply)
    return {
      id,
      object: "response",
      created_at: 1_700_000_000,
      model: "scripted",
      status: "completed",
      incomplete_details: reply.finish === undefined ? null : { reason: reply.finish },
      output: [
        ...(reply.thought === undefined
          ? []
          : [
              {
                type: "reasoning",
                id: `${id}_thought`,
                summary: [{ type: "summary_text", text: reply.thought }],
                encrypted_content: signature(reply.thought)
              }
            ]),
        ...(reply.text === undefined
          ? []
          : [
              {
                type: "message",
                id: `${id}_text`,
                role: "assistant",
                content: [{ type: "output_text", text: reply.text, annotations: [] }]
              }
            ]),
        ...(reply.calls ?? []).map(({ input, name }, index) => ({
          type: "function_call",
          id: `${id}_item_${index}`,
          call_id: `${id}_${index}`,
          name,
          arguments: typeof input === "string" ? input : JSON.stringify(input)
        }))
      ],
      ...(reply.usage === null
        ? {}
        : {
            usage: {
              input_tokens: input,
              input_tokens_details: { cached_tokens: cacheRead },
              output_tokens: output,
              output_tokens_details: { reasoning_tokens: 0 }
            }
          })
    }
  }
}

const anthropic: Dialect = {
  name: "anthropic",
  pattern: /\/messages$/u,
  read: (body) => ({
    model: string(body["model"]),
    messages: [
      { role: "system", text: textOf(body["system"]), images: 0 },
      ...list(body["messages"]).map(({ content, role }) => ({
        role: string(role),
        text: textOf(content),
        images: count(content, ({ type }) => type === "image")
      }))
    ],
    tools: list(body["tools"]).map(({ name }) => string(name)),
    toolChoice: body["tool_choice"],
    schema: record(record(body["output_config"])["format"])["schema"] ?? record(body["output_format"])["schema"]
  }),
  write: (reply, id) => {
    const { cacheRead, cacheWrite, input, output } = counted(reply)
    const calls = reply.calls ?? []
    return {
      id,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: [
        ...(reply.thought === undefined
          ? []
          : [{ type: "thinking", thinking: reply.thought, signature: signature(reply.thought) }]),
        ...(reply.text === undefined ? [] : [{ type: "text", text: reply.text }]),
        ...calls.map(({ input, name }, index) => ({ type: "tool_use", id: `${id}_${index}`, name, input }))
      ],
      stop_reason: reply.finish ?? (calls.length > 0 ? "tool_use" : "end_turn"),
      stop_sequence: null,
      // what is read from the cache or written to it is counted apart
      usage: {
        input_tokens: input - cacheRead - cacheWrite,
        output_tokens: output,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite
      }
    }
  }
}

const google: Dialect = {
  name: "google",
  pattern: /\/models\/[^/]+:generateContent$/u,
  read: (body, url) => ({
    model: decodeURIComponent(/\/models\/([^/]+):/u.exec(url)?.[1] ?? ""),
    messages: [
      { role: "system", text: textOf(record(body["systemInstruction"])["parts"]), images: 0 },
      ...list(body["contents"]).map(({ parts, role }) => ({
        role: string(role),
        text: textOf(parts),
        images: count(parts, ({ inlineData }) => inlineData !== undefined)
      }))
    ],
    tools: (Array.isArray(body["tools"]) ? list(body["tools"]) : [record(body["tools"])]).flatMap((tool) =>
      list(tool["functionDeclarations"]).map(({ name }) => string(name))
    ),
    toolChoice: body["toolConfig"],
    schema: record(body["generationConfig"])["responseJsonSchema"] ?? record(body["generationConfig"])["responseSchema"]
  }),
  write: (reply, id) => {
    const { cacheRead, input, output } = counted(reply)
    const signed = reply.thought === undefined ? {} : { thoughtSignature: signature(reply.thought) }
    return {
      responseId: id,
      modelVersion: "scripted",
      candidates: [
        {
          index: 0,
          finishReason: reply.finish ?? "STOP",
          content: {
            role: "model",
            parts: [
              ...(reply.thought === undefined ? [] : [{ text: reply.thought, thought: true }]),
              ...(reply.text === undefined ? [] : [{ text: reply.text }]),
              ...(reply.calls ?? []).map(({ input, name }) => ({ functionCall: { name, args: input }, ...signed }))
            ]
          }
        }
      ],
      ...(reply.usage === null
        ? {}
        : {
            usageMetadata: {
              promptTokenCount: input,
              candidatesTokenCount: output,
              totalTokenCount: input + output,
              cachedContentTokenCount: cacheRead
            }
          })
    }
  }
}

/** Returns the signature of a thought: providers require it when the thought is sent back. */
export const signature = (thought: string): string => Buffer.from(`signed: ${thought}`).toString("base64")

export const dialects: ReadonlyArray<Dialect> = [chat, responses, anthropic, google]
