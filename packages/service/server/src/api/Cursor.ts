import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"

/** A place in a list: the creation time of the last row, and its number. */
export interface Place {
  readonly at_ms: number
  readonly n: number
}

/** The list that a cursor belongs to. */
export interface ListScope {
  /** Name of the list, such as `runs`. */
  readonly list: string
  /** The key whose records it has; null for those of all. */
  readonly owner: string | null
  readonly filter: Readonly<Record<string, unknown>>
}

/** Version of the form of a cursor. */
const version = 1

const Body = Schema.fromJsonString(
  Schema.Struct({ v: Schema.Literal(version), place: Schema.Tuple([Schema.Finite, Schema.Int]), hash: Schema.String })
)

const decodeBody = Schema.decodeUnknownResult(Body)

/** Returns the hash that ties a cursor to its list, filters and owner. */
export const hashOf = ({ filter, list, owner }: ListScope): string => {
  const fields = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return hash("sha256", JSON.stringify([list, owner, fields]), "buffer")
    .subarray(0, 8)
    .toString("base64url")
}

/** Returns the cursor of a place: opaque text for clients. */
export const encode = (scope: ListScope, { at_ms, n }: Place): string =>
  Buffer.from(JSON.stringify({ v: version, place: [at_ms, n], hash: hashOf(scope) })).toString("base64url")

/** Returns the place of a cursor; none if it isn't one of this list, with these filters and this owner. */
export const decode = (scope: ListScope, cursor: string): Option.Option<Place> => {
  const body = decodeBody(Buffer.from(cursor, "base64url").toString("utf8"))
  if (Result.isFailure(body) || body.success.hash !== hashOf(scope)) return Option.none()
  const [at_ms, n] = body.success.place
  return Option.some({ at_ms, n })
}

/** Returns the cursor of a row that has a text for its place, such as a path or an id. */
export const encodeText = (scope: ListScope, place: string): string =>
  Buffer.from(`${hashOf(scope)}${place}`).toString("base64url")

/** Returns the text of a cursor; undefined for a cursor of another list, and for text that no database stores. */
export const decodeText = (scope: ListScope, cursor: string): string | undefined => {
  const start = hashOf(scope)
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  return text.startsWith(start) && !text.includes("\0") ? text.slice(start.length) : undefined
}

/** Advice for a cursor of another list. */
export const badCursor = "The cursor belongs to another list or to other filters. Read the list from its start"
