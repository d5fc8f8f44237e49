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
  /**
   * Streams the records. Each page is read when its first record is needed.
   *
   * @param options - The query of the list, and headers and retries of its requests.
   * @returns A stream of records.
   * @example
   * ```ts
   * import { Runs } from "@webagent/v4"
   * import * as Stream from "effect/Stream"
   *
   * export const failed = Runs.use((runs) =>
   *   runs.list().pipe(Stream.filter(({ status }) => status === "failed"), Stream.take(5), Stream.runCollect)
   * )
   * ```
   */
  readonly list: (options?: ListOptions<Query>) => Stream.Stream<Row, E>
  /**
   * Reads one page.
   *
   * @param options - The query of the list, and headers, retries and the timeout of the request.
   * @returns The page as the service sends it.
   * @example
   * ```ts
   * import { Runs } from "@webagent/v4"
   *
   * export const page = (cursor: string) => Runs.use((runs) => runs.listPage({ limit: 20, cursor }))
   * ```
   */
  readonly listPage: (options?: ListOptions<Query> & CallChoices) => Effect.Effect<Page, E>
}

/**
 * Makes the methods of a list over its operation. A page without records doesn't end the list. The first call only
 * fixes the type of the query.
 *
 * @returns A function that takes `read`, which reads a page, `rowsOf`, which returns its records, and `next`, which
 *   returns the query of the next page. It returns `list` and `listPage`.
 * @example
 * ```ts
 * import { type RunListQuery, RunExtensions } from "@webagent/contract/v4"
 * import { ContractClient, Pages } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const runs = Effect.map(ContractClient.makeOptional("v4", "Runs", RunExtensions), ({ list }) =>
 *   Pages.make<RunListQuery>()(list, ({ runs }) => runs, Pages.nextCursor)
 * )
 * ```
 */
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

/**
 * Returns the query of the page after a page with a cursor. A cursor that leads to the same page again ends the list.
 *
 * @param page - The page that was read.
 * @param query - Its query.
 * @returns The next query, or undefined after the last page.
 * @example
 * ```ts
 * import { Pages } from "@webagent/core"
 *
 * console.log(Pages.nextCursor({ hasMore: true, nextCursor: "c2" }, { cursor: "c1" })) // { cursor: "c2" }
 * ```
 */
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

/**
 * Returns the query of the page after a page with a number. The list ends when all items were read, or at an empty
 * page.
 *
 * @param page - The page that was read.
 * @param query - Its query.
 * @returns The next query, or undefined after the last page.
 * @example
 * ```ts
 * import { Pages } from "@webagent/core"
 *
 * console.log(Pages.nextNumber({ items: ["a", "b"], totalItems: 3 }, { pageNumber: 1 })) // { pageNumber: 2 }
 * ```
 */
export const nextNumber = <Query extends { readonly pageNumber?: number; readonly pageSize?: number }>(
  page: NumberedPage,
  query: Query
): Query | undefined => {
  const number = query.pageNumber ?? page.pageNumber ?? 1
  const size = page.pageSize ?? query.pageSize ?? page.items.length
  const isLast = page.items.length === 0 || (page.totalItems !== undefined && number * size >= page.totalItems)
  return isLast ? undefined : { ...query, pageNumber: number + 1 }
}
