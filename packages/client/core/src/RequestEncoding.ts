import type { Operation } from "@webagent/contract"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { PlainRequest } from "./Outgoing.ts"

/** Input of an operation. */
export interface Input {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: object
  readonly payload?: unknown
}

/** The request that a call becomes, or what is wrong with the call. */
type Encode = (input: Input) => Result.Result<PlainRequest, string>

/** A value in a message, whatever it is. */
export const shown = (value: unknown): string => {
  try {
    return typeof value === "object" || typeof value === "string" ? JSON.stringify(value) : String(value)
  } catch {
    return typeof value
  }
}

/** An id becomes one segment of a path: these would become none, another one, or not text at all. */
const isId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value !== "." && value !== ".." && value.isWellFormed()

const encoderOf = (schema: Schema.Codec<unknown, unknown> | undefined) =>
  schema === undefined ? undefined : Schema.encodeUnknownResult(schema)

/** Returns a query, with its `?`; a value that is undefined or null is left out. */
export const queryText = (query: object): string => {
  const pairs = Object.entries(query).filter(([, value]) => (value ?? undefined) !== undefined)
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

const encoder = new TextEncoder()

const asJson = { "content-type": "application/json" }

/** Encodes calls of one operation of the contract: ids into its path, the query after it, the payload as JSON. */
export const make = ({ method, params, path, payload }: Operation): Encode => {
  const [start = "", ...rest] = path.split("{")
  const places = rest.map((text) => {
    const [name = "", after = ""] = text.split("}")
    return { name, after }
  })
  const encodeParams = encoderOf(params)
  const encodePayload = encoderOf(payload)

  return ({ params = {}, payload, query = {} }) => {
    let path = start
    for (const { after, name } of places) {
      const value = params[name]
      if (!isId(value)) return Result.fail(`${name} is not an id: ${shown(value)}`)
      path += encodeURIComponent(value) + after
    }
    const checked = encodeParams?.(params)
    if (checked !== undefined && Result.isFailure(checked)) return Result.fail(checked.failure.message)
    path += queryText(query)
    if (encodePayload === undefined) return Result.succeed({ method, url: path })
    const body = encodePayload(payload)
    if (Result.isFailure(body)) return Result.fail(body.failure.message)
    try {
      const json = encoder.encode(JSON.stringify(body.success))
      return Result.succeed({ method, url: path, headers: asJson, body: json })
    } catch {
      return Result.fail("the payload cannot be written as JSON")
    }
  }
}
