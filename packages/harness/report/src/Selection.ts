import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as StoredSentences from "./StoredSentences.ts"

/** The filters that chose some of the scenarios or trials of a run. */
export const Selection = Schema.Struct({
  /** The values of `--tag`. */
  tags: Schema.Array(Schema.String),
  /** The value of `--name`. */
  name: Schema.optionalKey(Schema.String),
  /** True with `--last-failed`. */
  lastFailed: Schema.optionalKey(Schema.Boolean),
  /** The value of `--trial`, which counts from 1. */
  trial: Schema.optionalKey(Schema.Int)
})

/** The filters that chose some of the scenarios or trials of a run. */
export type Selection = typeof Selection.Type

/** A selection in a file. It also reads the text that earlier versions stored. */
export const Stored = Schema.Union([Selection, Schema.String]).pipe(
  Schema.decodeTo(Schema.toType(Selection), {
    decode: SchemaGetter.transform((value) =>
      typeof value === "string" ? (StoredSentences.selectionOf(value) ?? { tags: [], name: value }) : value
    ),
    encode: SchemaGetter.passthrough({ strict: false })
  })
)
