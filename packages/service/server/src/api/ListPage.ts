import { BadCursorError } from "@webagent/contract"
import { Owner, type Page, type Place, type StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Cursor from "./Cursor.ts"

/** The number of records of a page, unless the query says another. */
export const defaultLimit = 50

/** The part of a list's query that names a page. */
interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
}

/** A page, with the cursor of the next one; null at the end of the list. */
export interface ListPage<A> {
  readonly rows: ReadonlyArray<A>
  readonly nextCursor: string | null
  readonly hasMore: boolean
}

/**
 * Reads a page of a list at a cursor. A cursor belongs to its list, filter and API key; any other one is a 400.
 *
 * @param list - The name of the list, in its cursors.
 */
export const read = <F extends object, A>(
  list: string,
  { cursor, limit = defaultLimit }: PageQuery,
  filter: F,
  page: (filter: F, after: Place | null, limit: number) => Effect.Effect<Page<A>, StoreUnavailable>
): Effect.Effect<ListPage<A>, BadCursorError | StoreUnavailable> =>
  Effect.gen(function* () {
    const scope = { list, owner: yield* Owner, filter: Object.fromEntries(Object.entries(filter)) }
    const after = cursor === undefined ? null : Option.getOrUndefined(Cursor.decode(scope, cursor))
    if (after === undefined) return yield* new BadCursorError({ detail: Cursor.badCursor })
    const { next, rows } = yield* page(filter, after, limit)
    return { rows, nextCursor: next === null ? null : Cursor.encode(scope, next), hasMore: next !== null }
  })

/** Returns the first row of a list, whose first pages may be empty. */
export const first = <A>(
  page: (after: Place | null, limit: number) => Effect.Effect<Page<A>, StoreUnavailable>,
  after: Place | null = null
): Effect.Effect<A | undefined, StoreUnavailable> =>
  Effect.flatMap(page(after, 1), ({ next, rows: [row] }) =>
    row !== undefined || next === null ? Effect.succeed(row) : first(page, next)
  )
