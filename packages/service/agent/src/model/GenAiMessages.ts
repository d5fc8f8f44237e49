import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"

/** A part of a message, as the conventions' schemas of messages have it. */
type Part = Readonly<Record<string, unknown>>

const textPart = (content: string): Part => ({ type: "text", content })

type MessagePart = Exclude<Prompt.Message["content"], string>[number] | Response.PartEncoded

const partOf = (part: MessagePart): ReadonlyArray<Part> => {
  switch (part.type) {
    case "text":
      return [textPart(part.text)]
    case "reasoning":
      return [{ type: "reasoning", content: part.text }]
    case "tool-call":
      return [{ type: "tool_call", id: part.id, name: part.name, arguments: part.params }]
    case "tool-result":
      return [{ type: "tool_call_response", id: part.id, response: part.result }]
    default:
      // a picture is too large for a span
      return []
  }
}

const partsOf = ({ content }: Prompt.Message): ReadonlyArray<Part> =>
  typeof content === "string" ? [textPart(content)] : content.flatMap(partOf)

/** Returns the instructions of a prompt. */
export const instructionsOf = ({ content }: Prompt.Prompt): ReadonlyArray<Part> =>
  content.filter(({ role }) => role === "system").flatMap(partsOf)

/** Returns the messages of a prompt without its instructions. */
export const inputOf = ({ content }: Prompt.Prompt): ReadonlyArray<Part> =>
  content.filter(({ role }) => role !== "system").map((message) => ({ role: message.role, parts: partsOf(message) }))

const reasons: Partial<Record<Response.FinishReason, string>> = {
  "tool-calls": "tool_call",
  "content-filter": "content_filter"
}

/** Returns a response as a message. */
export const outputOf = (response: ReadonlyArray<Response.PartEncoded>): ReadonlyArray<Part> => {
  const parts = response.filter(({ type }) => type !== "tool-result").flatMap(partOf)
  const reason = response.find((part) => part.type === "finish")?.reason ?? "unknown"
  return [{ role: "assistant", parts, finish_reason: reasons[reason] ?? reason }]
}
