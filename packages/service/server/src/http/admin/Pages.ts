import { BadCursorError, pageSize } from "@webagent/admin"
import { type HTTPValidationError, toDateTime } from "@webagent/contract"
import { Owner, type Page, type Place, type StoreUnavailable } from "@webagent/engine"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Cursor from "../../api/Cursor.ts"
import { invalid } from "../../api/Invalid.ts"

/** A request for a page of a list. */
export interface PageRequest {
  readonly list: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly cursor: string | undefined
  readonly limit: number | undefined
}

const scopeOf = ({ filter, list }: Pick<PageRequest, "filter" | "list">) =>
  Effect.map(Owner, (owner): Cursor.ListScope => ({ list, owner, filter }))

/** Returns the place of a cursor of the list; null without a cursor. */
export const placeOf = Effect.fnUntraced(function* ({ cursor, filter, list }: Omit<PageRequest, "limit">) {
  if (cursor === undefined) return null
  const place = Option.getOrUndefined(Cursor.decode(yield* scopeOf({ filter, list }), cursor))
  return place ?? (yield* new BadCursorError({ detail: Cursor.badCursor }))
})

/** Returns the cursor of a place in the list; null at its end. */
export const cursorOf = (request: Pick<PageRequest, "filter" | "list">, next: Place | null) =>
  next === null ? Effect.succeed(null) : Effect.map(scopeOf(request), (scope) => Cursor.encode(scope, next))

/** Reads a page of a list and shows its rows. */
export const read = Effect.fnUntraced(function* <Row, View>(
  request: PageRequest,
  rowsAfter: (after: Place | null, limit: number) => Effect.Effect<Page<Row>, StoreUnavailable>,
  show: (row: Row) => View
) {
  const limit = request.limit ?? pageSize.default
  const page = yield* rowsAfter(yield* placeOf(request), limit)
  return {
    rows: page.rows.map(show),
    next: yield* cursorOf(request, page.next),
    complete: page.next === null || page.rows.length >= limit
  }
})

/** The time that a query's text names, in milliseconds since 1970. */
const momentOf = (field: string, text: string | undefined): Effect.Effect<number | undefined, HTTPValidationError> => {
  if (text === undefined) return Effect.succeed(undefined)
  const time = Option.getOrUndefined(toDateTime(text))
  return time === undefined
    ? Effect.fail(invalid(["query", field], `There is no time ${text}`))
    : Effect.succeed(DateTime.toEpochMillis(time))
}

/** The creation times that a query selects. */
export const createdBetween = ({
  from,
  to
}: {
  readonly from?: string | undefined
  readonly to?: string | undefined
}) =>
  Effect.map(Effect.all([momentOf("from", from), momentOf("to", to)]), ([from_ms, to_ms]) => ({
    ...(from_ms === undefined ? {} : { from_ms }),
    ...(to_ms === undefined ? {} : { to_ms })
  }))
