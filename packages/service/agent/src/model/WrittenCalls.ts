import * as Tool from "effect/ai/Tool"

/** A tool call that a model wrote as text. */
export interface WrittenCall {
  readonly name: string
  readonly params: unknown
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return Tool.unsafeSecureJsonParse(text)
  } catch {
    return undefined
  }
}

const callsIn = (value: unknown, tools: ReadonlyArray<string>): ReadonlyArray<WrittenCall> => {
  if (Array.isArray(value)) return value.flatMap((each) => callsIn(each, tools))
  if (!isRecord(value)) return []
  if (isRecord(value["function"])) return callsIn(value["function"], tools)
  const { arguments: args, input, name, parameters } = value
  if (typeof name !== "string" || !tools.includes(name)) return []
  const params = args ?? parameters ?? input ?? {}
  return [{ name, params: typeof params === "string" ? (parse(params) ?? params) : params }]
}

/**
 * Calls in tags, as many local models are trained to write them, and in code blocks, each at the beginning of a line. The
 * last tag may be left open.
 */
const marked = /(?<=^[^\S\n]*)(?:<tool_call>(.*?)(?:<\/tool_call>|(?!.))|```\w*\n(.*?)```)/gmsu

/**
 * Reads the calls that a model wrote as text, because its server didn't recognize them: in `<tool_call>` tags, in code
 * blocks, or as the whole text. Only calls of these tools count, and the rest stays text. If text follows a call, the
 * model talks about a call, for example one that a page wants it to make, so none counts.
 */
export const read = (
  text: string,
  tools: ReadonlyArray<string>
): { readonly calls: ReadonlyArray<WrittenCall>; readonly text: string } => {
  const whole = callsIn(parse(text.trim()), tools)
  if (whole.length > 0) return { calls: whole, text: "" }
  const calls: Array<WrittenCall> = []
  let begin = text.length
  const rest = text.replaceAll(
    marked,
    (all: string, tag: string | undefined, block: string | undefined, at: number) => {
      const inMark = callsIn(parse((tag ?? block ?? "").trim()), tools)
      if (inMark.length === 0) return all
      calls.push(...inMark)
      begin = Math.min(begin, at)
      return ""
    }
  )
  if (rest.slice(begin).trim() !== "") return { calls: [], text: text.trim() }
  return { calls, text: rest.trim() }
}
