import type { HTTPValidationError } from "@webagent/contract"
import type { Page, Place, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { invalid } from "./Invalid.ts"

/** The number of records on a page, unless the caller sets it. */
const usualSize = 50

/** The most records before a page, and the most records that a total counts: a walk to a page passes all before it. */
export const mostCounted = 10_000

/** The most reads of a walk, because one read may find no record. */
const mostReads = 500

/** The page that a caller asks for, from 1, and the number of records before it. */
export interface NumberedPage {
  readonly number: number
  readonly size: number
  readonly skipped: number
}

/** Reads the page of a query. `name` is the parameter that has its number. */
export const pageOf = (
  name: string,
  number = 1,
  size = usualSize
): Effect.Effect<NumberedPage, HTTPValidationError> => {
  const skipped = (number - 1) * size
  return skipped <= mostCounted
    ? Effect.succeed({ number, size, skipped })
    : Effect.fail(
        invalid(["query", name], `Pages end after ${mostCounted} records: filter the list, or use the cursors of v4`)
      )
}

/** Reads a page of a list by walking to it. */
export const read = <A>(
  list: (after: Place | null, limit: number) => Effect.Effect<Page<A>, StoreUnavailable>,
  { size, skipped }: NumberedPage
): Effect.Effect<ReadonlyArray<A>, StoreUnavailable> =>
  Effect.gen(function* () {
    const rows: Array<A> = []
    let after: Place | null = null
    for (let reads = 0; reads < mostReads; reads++) {
      const page: Page<A> = yield* list(after, Math.min(100, skipped + size - rows.length))
      rows.push(...page.rows)
      after = page.next
      if (after === null || rows.length >= skipped + size) break
    }
    return rows.slice(skipped)
  })

/** The number of records with these statuses, up to 10,000 of each; all statuses without a filter. */
export const totalOf = <Status extends string>(
  counts: Readonly<Record<Status, { readonly count: number }>>,
  statuses?: ReadonlyArray<Status>
): number => {
  const counted =
    statuses === undefined ? Object.values<{ readonly count: number }>(counts) : statuses.map((one) => counts[one])
  return Math.min(
    mostCounted,
    counted.reduce((sum, { count }) => sum + count, 0)
  )
}
