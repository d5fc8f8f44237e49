import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"
import { mostIds, pageSize } from "./Wire.ts"

/** An instant as text: RFC 3339 in UTC, such as `2026-11-28T09:30:00.000Z`. */
export const Instant = Schema.String.annotate({ format: "date-time" })

/** An amount of money as an exact decimal string in USD, such as `"0.0132"`. */
export const Usd = Schema.String.annotate({ examples: ["0.0132"] })

/** A whole number in a query or path: digits without leading zeros. */
export const whole = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isPattern(/^(0|[1-9]\d*)$/u, { message: "Expected a whole number" }))
    .pipe(Schema.decodeTo(Schema.FiniteFromString))
    .check(Schema.isBetween({ minimum, maximum }))

/** Query parameters of a page of any list. */
export const pageQuery = {
  /** `next` of the page before; the first page without. */
  cursor: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(1000))),
  /** Maximum number of rows, 1 to 100; 50 by default. */
  limit: Schema.optionalKey(whole(1, pageSize.most))
}

/** A query's date or instant: `2026-11-28`, or RFC 3339. */
export const When = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/u, {
    message: "Expected a date such as 2026-11-28, or a time such as 2026-11-28T09:30:00Z"
  })
)

/** Text that a database can compare: without NUL. */
const storable = Schema.isPattern(/^[^\0]*$/u, { message: "Expected text without the character NUL" })

/** Text in a filter. */
export const FilterText = Schema.NonEmptyString.check(Schema.isMaxLength(200), storable)

/**
 * One page of a list, newest first. A page may have fewer rows than the limit, even none, and still a `next`: a search
 * then stopped early, so `complete` is false. Go on until `next` is null.
 */
export const pageOf = <const Row extends Schema.Top>(row: Row) =>
  Schema.Struct({
    rows: Schema.Array(row),
    /** Cursor of the next page; null on the last one. */
    next: Schema.NullOr(Schema.String),
    /** False if the server looked at as many records as one request may before the page was full. */
    complete: Schema.Boolean
  })

/** The parts of an endpoint that lists rows by pages. */
export const listOf = <const Row extends Schema.Top, const Filters extends Schema.Struct.Fields>(
  row: Row,
  filters: Filters
) => ({
  query: { ...filters, ...pageQuery },
  success: pageOf(row),
  error: [errors.badCursor, errors.unavailable]
})

/** Ids of the records that one request changes. */
export const Ids = Schema.Array(FilterText).check(Schema.isMinLength(1), Schema.isMaxLength(mostIds))
