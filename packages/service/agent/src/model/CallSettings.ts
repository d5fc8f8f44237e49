import * as Context from "effect/Context"

/** Levels of reasoning before a response, from none to the most that the model can do. */
export const reasoningLevels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const

export type ReasoningLevel = (typeof reasoningLevels)[number]

export interface CallSettings {
  readonly reasoning?: ReasoningLevel | undefined
  readonly maxOutputTokens?: number | undefined
  /** Fields of the request's body as the provider names them, merged into what the adapter sends. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
}

/** Extra settings for the calls that are made while it's provided. */
export const CallSettings: Context.Reference<CallSettings> = Context.Reference("@webagent/agent/CallSettings", {
  defaultValue: (): CallSettings => ({})
})

/** Fields that only the agent sets: who is asked, what, with which tools, and in which form the answer comes. */
const reserved: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "input",
  "instructions",
  "previous_response_id",
  "conversation",
  "contents",
  "system",
  "systemInstruction",
  "system_instruction",
  "tools",
  "tool_choice",
  "toolConfig",
  "tool_config",
  "functions",
  "function_call",
  "stream",
  "stream_options",
  "response_format",
  "text.format",
  "output_format",
  "output_config.format",
  "generationConfig.responseMimeType",
  "generationConfig.responseSchema",
  "generationConfig.responseJsonSchema",
  // each of several answers is paid for, and one is read
  "n",
  "generationConfig.candidateCount"
])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The fields of a body that are not passed on, such as `messages` or `generationConfig.responseSchema`. */
export const refused = (body: Readonly<Record<string, unknown>>, within = ""): ReadonlyArray<string> =>
  Object.entries(body).flatMap(([key, value]) => {
    const path = within + key
    if (reserved.has(path)) return [path]
    return isRecord(value) && within === "" ? refused(value, `${path}.`) : []
  })

/** Merges a caller's fields into the adapter's request body. Objects are merged, and other values are replaced. */
export const merge = (
  sent: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, unknown>>,
  within = ""
): Readonly<Record<string, unknown>> => ({
  ...sent,
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      const path = within + key
      if (reserved.has(path)) return []
      const before = sent[key]
      if (!isRecord(value)) return [[key, value]]
      return [[key, merge(isRecord(before) ? before : {}, value, `${path}.`)]]
    })
  )
})
