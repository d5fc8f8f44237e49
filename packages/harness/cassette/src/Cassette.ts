import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A body: JSON as its value, anything else as text. */
export const Content = Schema.Union([Schema.Struct({ json: Schema.Json }), Schema.Struct({ text: Schema.String })])
export type Content = typeof Content.Type

/** Text in place of a value that a cassette doesn't have. */
export const hidden = "<redacted>"

/** Leaves out the value of a secret that a request binds to a run. */
const withoutSecret = (key: string, value: unknown): unknown => {
  if (key !== "source" || typeof value !== "object" || value === null || !("type" in value)) return value
  return value.type === "inline" && "value" in value ? { ...value, value: hidden } : value
}

/** A body's text as it is kept; undefined where there is none. `reviver` is that of JSON.parse. */
export const contentOf = (
  text: string,
  reviver: (key: string, value: unknown) => unknown = (_, value) => value
): Content | undefined => {
  if (text === "") return undefined
  try {
    return { json: JSON.parse(text, (key, value) => withoutSecret(key, reviver(key, value))) }
  } catch {
    return { text }
  }
}

/** One request and its answer. Times are milliseconds. */
export const Exchange = Schema.Struct({
  /** When the request was sent, from the start of the recording. */
  at_ms: Schema.Finite,
  /** Duration of the exchange, body included. */
  took_ms: Schema.Finite,
  method: Schema.NonEmptyString,
  /** From `/api/vN` on, with its query. */
  path: Schema.NonEmptyString,
  /** The request's body; absent if there was none. */
  sent: Schema.optionalKey(Content),
  status: Schema.Int,
  /** `content-type` and `retry-after`, in lower case. */
  headers: Schema.Record(Schema.String, Schema.String),
  /** The response's body; absent if there was none. */
  got: Schema.optionalKey(Content)
})
export type Exchange = typeof Exchange.Type

/** The first line of a cassette. */
export const Header = Schema.Struct({
  cassette: Schema.Literal(1),
  /** RFC 3339. */
  startedAt: Schema.String,
  /** The address of the service, without `/api/vN`. */
  target: Schema.String
})
export type Header = typeof Header.Type

/** The responses of a service, in the order of their requests. */
export interface Cassette extends Header {
  readonly exchanges: ReadonlyArray<Exchange>
}

const lineOf = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const json = Schema.fromJsonString(schema)
  return { encode: Schema.encodeSync(json), decode: Schema.decodeUnknownResult(json) }
}

const header = lineOf(Header)
const exchange = lineOf(Exchange)

/** The first line of a file, with its end. */
export const headerLine = (value: Header): string => `${header.encode(value)}\n`

/** A line of a file, with its end. */
export const exchangeLine = (value: Exchange): string => `${exchange.encode(value)}\n`

/**
 * Reads the text of a cassette. A last line without its end is left out: its writer was killed. The failure is one
 * sentence that names the file and the line.
 */
export const parse = (text: string, name: string): Result.Result<Cassette, string> => {
  const [first = "", ...lines] = text.split("\n")
  const read = header.decode(first)
  if (Result.isFailure(read)) {
    return Result.fail(`${name} is not a cassette. Record one with the command record --target URL.`)
  }
  // behind the last end of a line is nothing, or the half line of a writer that was killed
  const whole = lines.slice(0, -1)
  const exchanges: Array<Exchange> = []
  for (const [index, line] of whole.entries()) {
    const decoded = exchange.decode(line)
    if (Result.isFailure(decoded)) {
      return Result.fail(`${name} line ${index + 2}: ${decoded.failure.message.replaceAll(/\s+/gu, " ")}`)
    }
    exchanges.push(decoded.success)
  }
  return Result.succeed({ ...read.success, exchanges: exchanges.toSorted((a, b) => a.at_ms - b.at_ms) })
}
