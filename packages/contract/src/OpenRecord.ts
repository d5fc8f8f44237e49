import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const unknownFields = [Schema.Record(Schema.String, Schema.Unknown)] as const

/** The fields of a response besides its typed ones. */
export interface Raw {
  /**
   * Fields that the description does not show, and those that came in another form than is typed, as the service sent
   * them. Missing when there are none. Clients set it: on the wire these are fields like any other.
   */
  readonly raw?: JsonObject
}

type RecordOf<Fields extends Schema.Struct.Fields, More> = Schema.Codec<
  Schema.Struct.Type<Fields> & More,
  Schema.Struct.Encoded<Fields>,
  Schema.Struct.DecodingServices<Fields>,
  Schema.Struct.EncodingServices<Fields>
>

/**
 * A record that the description shows only in part. The listed fields are checked. Every other field is kept as it came,
 * on decoding and on encoding, and the OpenAPI object stays open. Its type has the listed fields alone, so that a
 * misspelt field is a type error.
 */
export const openRecord = <const Fields extends Schema.Struct.Fields>(fields: Fields): RecordOf<Fields, unknown> =>
  Schema.StructWithRest(Schema.Struct(fields), unknownFields) as object as RecordOf<Fields, unknown>

/** The same for what the service answers: clients give what is not listed as `raw`. */
export const answer: <const Fields extends Schema.Struct.Fields>(fields: Fields) => RecordOf<Fields, Raw> = openRecord

/**
 * A field that the description marks as not required and gives a default: it may be missing on the wire, a
 * decoded record always has it, and the default shows in the OpenAPI document.
 */
export const withDefault = <S extends Schema.Top & { readonly Encoded: S["Type"] }>(schema: S, value: S["Type"]) =>
  schema.annotate({ default: value }).pipe(
    Schema.optionalKey,
    Schema.decodeTo(Schema.toType(schema), {
      decode: SchemaGetter.withDefault(Effect.succeed(value)),
      encode: SchemaGetter.passthrough()
    })
  )

/**
 * A field that the description lists as "or null" and not required. Missing and `null` mean the same to a
 * reader, so a decoded record always has it, as a value or `null`.
 */
export const nullable = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).pipe(
    // another form of it does not hide the rest: a client keeps it in `raw`
    Schema.catchDecoding(() => Effect.succeedSome(null)),
    Schema.withDecodingDefaultTypeKey(Effect.succeed(null))
  )

/**
 * A field that the description does not show, in the form in which our server sends it. Another service may send
 * another form: that is left out, so that it does not hide what is described, such as the id of something paid for.
 */
export const undescribed = <S extends Schema.Top>(schema: S) =>
  Schema.optionalKey(schema).pipe(Schema.catchDecoding(() => Effect.succeedNone))

/** "Object with arbitrary properties". */
export const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

/** An object with arbitrary properties. */
export type JsonObject = typeof JsonObject.Type
