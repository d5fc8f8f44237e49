import * as Schema from "effect/Schema"
import { undescribed } from "./OpenRecord.ts"

/** The fields of a page besides its records. A page may have fewer records than `limit` and still a `nextCursor`. */
export const cursorPage = {
  nextCursor: undescribed(Schema.NullOr(Schema.String)),
  hasMore: undescribed(Schema.Boolean)
}

/** A page of a list whose pages have numbers. */
export const numberedPage = <S extends Schema.Top>(item: S) => ({
  items: Schema.Array(item),
  totalItems: undescribed(Schema.Int),
  pageNumber: undescribed(Schema.Int),
  pageSize: undescribed(Schema.Int)
})
