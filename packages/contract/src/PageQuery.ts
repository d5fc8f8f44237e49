import * as Schema from "effect/Schema"

/** The most records of a page. */
const longestPage = 100

/** A whole number in a query, such as `limit=50`: digits without leading zeros, and neither `1e2` nor `50.0`. */
const between = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isPattern(/^(0|[1-9]\d*)$/u, { message: "Expected a whole number" }))
    .pipe(Schema.decodeTo(Schema.NumberFromString))
    .check(Schema.isBetween({ minimum, maximum }, { message: `Expected a number from ${minimum} to ${maximum}` }))

const from1To = (most: number) => between(1, most)

/** The parameters of a list that continues at a cursor: at most 100 records per page, by default 50. */
export const cursorQuery = {
  cursor: Schema.optionalKey(Schema.String),
  limit: Schema.optionalKey(from1To(longestPage))
}

/** The parameters of a list that continues after the number of a record: at most 100 records per page, by default 50. */
export const afterQuery = {
  after: Schema.optionalKey(between(0, Number.MAX_SAFE_INTEGER)),
  limit: Schema.optionalKey(from1To(longestPage))
}

/** The parameters of a list whose pages have numbers: at most 100 records per page, by default 50; the first page is 1. */
export const numberedQuery = {
  pageSize: Schema.optionalKey(from1To(longestPage)),
  pageNumber: Schema.optionalKey(from1To(Number.MAX_SAFE_INTEGER))
}

/** The same under the names that v3 has for sessions and profiles. */
export const pageQuery = {
  page: Schema.optionalKey(from1To(Number.MAX_SAFE_INTEGER)),
  page_size: Schema.optionalKey(from1To(longestPage))
}
