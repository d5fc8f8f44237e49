import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** A record in a file, or the form of it that an earlier version stored. */
export const orOlder = <A, I, Older>(
  record: Schema.Codec<A, I>,
  older: Schema.Codec<Older>,
  upgrade: (older: Older) => A
) => {
  const isRecord = Schema.is(record)
  return Schema.Union([record, older]).pipe(
    Schema.decodeTo(Schema.toType(record), {
      decode: SchemaGetter.transform((value) => (isRecord(value) ? value : upgrade(value as Older))),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )
}
