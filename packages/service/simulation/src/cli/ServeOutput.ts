import { type FaultEntry, type JournalEntry, RequestEntry } from "@webagent/control"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

const { answered, duration_ms, method, operation, path, retryAfter_ms, status } = RequestEntry.fields

/** The first line: where the service is, and what opens it. */
const Started = Schema.Struct({
  type: Schema.Literal("started"),
  address: Schema.String,
  baseUrls: Schema.Struct({ v2: Schema.String, v3: Schema.String, v4: Schema.String }),
  apiKey: Schema.String,
  /** Null without `--control`. */
  control: Schema.NullOr(Schema.Struct({ address: Schema.String, key: Schema.String })),
  /** The keys of `[simulate KEY=VALUE]` in a task. */
  scriptKeys: Schema.Array(Schema.String)
})

/** A request that has ended. Times are in service time. */
const Request = Schema.Struct({
  type: Schema.Literal("request"),
  /** When the request arrived. */
  at: Schema.String,
  method,
  path,
  operation,
  status,
  duration_ms,
  answered,
  retryAfter_ms,
  /** The id of the run, session or browser that the request names or created. */
  resource: Schema.NullOr(Schema.String),
  fault: Schema.NullOr(
    Schema.Struct({ rule: Schema.String, kind: Schema.String, placement: Schema.NullOr(Schema.String) })
  )
})

/** A line of `serve --json`. */
export const ServeOutput = Schema.Union([Started, Request]).annotate({ identifier: "ServeOutput" })

type ServeOutput = typeof ServeOutput.Type

export type Started = typeof Started.Type

export type Request = typeof Request.Type

/**
 * Encodes a line of `serve --json`.
 *
 * @param line - The start of the service, or a request.
 * @returns The line as JSON.
 * @example
 * ```ts
 * import { encode, type Request } from "@webagent/simulation/ServeOutput"
 *
 * export const print = (request: Request) => process.stdout.write(`${encode(request)}\n`)
 * ```
 */
export const encode: (line: ServeOutput) => string = Schema.encodeSync(Schema.fromJsonString(ServeOutput))

/**
 * Makes a reader of the journal's rows, which combines each request with its fault. It needs the rows in the order in
 * which they were written.
 *
 * @returns A function that returns the request of a row, or undefined for any other row.
 * @example
 * ```ts
 * import type { JournalEntry } from "@webagent/control"
 * import { reader } from "@webagent/simulation/ServeOutput"
 *
 * export const requests = (rows: ReadonlyArray<JournalEntry>) => {
 *   const requestOf = reader()
 *   return rows.flatMap((row) => requestOf(row) ?? [])
 * }
 * ```
 */
export const reader = () => {
  // a fault is written before the request that it hits; a plan has few rules
  const hit = new Map<string, typeof FaultEntry.Type>()
  return (row: JournalEntry): Request | undefined => {
    if (row.type === "fault") hit.set(row.rule, row)
    if (row.type !== "request") return undefined
    const fault = row.fault === null ? undefined : hit.get(row.fault)
    return {
      type: "request",
      at: new Date(row.at_ms).toISOString(),
      ...Struct.pick(row, ["method", "path", "operation", "status", "duration_ms", "answered", "retryAfter_ms"]),
      resource: row.made ?? row.resource,
      fault: fault === undefined ? null : { rule: fault.rule, kind: fault.kind, placement: fault.placement }
    }
  }
}
