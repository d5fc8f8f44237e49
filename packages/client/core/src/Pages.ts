import type { CallOptions as CallChoices } from "./CallOptions.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/** Returns the query of the next page, or undefined after the last page. */
type Next<Page, Query> = (page: Page, query: Query) => Query | undefined

/** Returns the query of a list, which is in the options of its calls. */
const queryOf = <Query extends object>({
  headers: _h,
  requestId: _i,
  retries: _r,
  timeout: _t,
  ...query
}: Query & CallChoices) => query as object as Query

/** Options of a list, whose stream has no timeout of its own. */
type ListOptions<Query> = Query & Omit<CallChoices, "timeout">

/** The methods of a list. */
export interface Pages<Page, Row, Query, E> {
  /** Streams the records. Each page is read when its first record is needed. */
  readonly list: (options?: ListOptions<Query>) => Stream.Stream<Row, E>
  /** Reads one page. */
  readonly listPage: (options?: ListOptions<Query> & CallChoices) => Effect.Effect<Page, E>
}

/** Makes the methods of a list over its operation. A page without records doesn't end the list. */
export const make =
  <Query extends object>() =>
  <Page, Row, E>(
    read: (input: { readonly query: Query }, options?: CallChoices) => Effect.Effect<Page, E>,
    rowsOf: (page: Page) => ReadonlyArray<Row>,
    next: Next<Page, Query>
  ): Pages<Page, Row, Query, E> => ({
    list: (options) =>
      Stream.paginate(queryOf<Query>({ ...options } as Query & CallChoices), (query) =>
        Effect.map(
          read({ query }, { ...options, timeout: undefined }),
          (page) => [rowsOf(page), Option.fromUndefinedOr(next(page, query))] as const
        )
      ),
    listPage: (options) => read({ query: queryOf<Query>({ ...options } as Query & CallChoices) }, options)
  })

/** The fields of a page that continues at a cursor. */
interface CursorPage {
  readonly hasMore?: boolean
  readonly nextCursor?: string | null
}

/** Continues at the cursor of a page. A cursor that leads to the same page again ends the list. */
export const nextCursor = <Query extends { readonly cursor?: string }>(
  page: CursorPage,
  query: Query
): Query | undefined => {
  const cursor = page.nextCursor ?? undefined
  if (page.hasMore === false || cursor === undefined || cursor === query.cursor) return undefined
  return { ...query, cursor }
}

/** The fields of a page that has a number. */
interface NumberedPage {
  readonly items: ReadonlyArray<unknown>
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** Continues at the next number until all items were read, or a page has none. */
export const nextNumber = <Query extends { readonly pageNumber?: number; readonly pageSize?: number }>(
  page: NumberedPage,
  query: Query
): Query | undefined => {
  const number = query.pageNumber ?? page.pageNumber ?? 1
  const size = page.pageSize ?? query.pageSize ?? page.items.length
  const isLast = page.items.length === 0 || (page.totalItems !== undefined && number * size >= page.totalItems)
  return isLast ? undefined : { ...query, pageNumber: number + 1 }
}
