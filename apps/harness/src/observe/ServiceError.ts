import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { TrialLog } from "./TrialLog.ts"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** `error: "..."` and `error: { message: "..." }` alike. */
const messageOf = (value: unknown): string | undefined => text(value) ?? text(field(value, "message"))

/** A validation error in a line: `body.task: Field required`. */
const detailOf = (detail: unknown): string | undefined => {
  if (!Array.isArray(detail)) return messageOf(detail)
  const lines = detail.flatMap((one: unknown) => {
    const loc: unknown = field(one, "loc")
    const message = text(field(one, "msg"))
    return message === undefined ? [] : [Array.isArray(loc) ? `${loc.join(".")}: ${message}` : message]
  })
  return lines.length === 0 ? undefined : lines.join("; ")
}

const isFailed = (record: unknown): boolean => field(record, "status") === "failed"

const runErrorOf = (answer: Readonly<Record<string, unknown>>): string | undefined => {
  const tasks = Array.isArray(answer["tasks"]) ? answer["tasks"].filter(isFailed) : []
  return messageOf(answer["error"]) ?? text(field(tasks.at(-1), "output"))
}

// a page that a proxy sends is no JSON, and a body that is longer says nothing in a line
const longest = 64 * 1024

const decoder = new TextDecoder()

/**
 * Notes what an answer says is wrong: the `detail` (or `message`, `error`) of an answer with an error status, until
 * the next request; the `error` of a run, or the output of a failed v2 task, until the next one fails.
 */
export const note = (log: TrialLog, status: number, body: ArrayBuffer): void => {
  if (body.byteLength === 0 || body.byteLength > longest) return
  const answer = Option.getOrUndefined(decode(decoder.decode(body)))
  if (answer === undefined) return
  if (status >= 400)
    log.answerError = detailOf(answer["detail"]) ?? messageOf(answer["message"]) ?? messageOf(answer["error"])
  else log.runError = runErrorOf(answer) ?? log.runError
}
