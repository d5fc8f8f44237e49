import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"

/** A browser profile: a name for browser state that later browsers can start with. */
export const Profile = Schema.Struct({
  id: Schema.String,
  owner: OptionalText,
  name: OptionalText,
  /** The caller's own id of the person whose state it is. */
  userId: OptionalText,
  /** The domains with cookies or storage; null if no state was saved. */
  cookieDomains: Schema.NullOr(Schema.Array(Schema.String)),
  createdAt_ms: Moment,
  updatedAt_ms: Moment,
  /** When a browser last started with it. */
  lastUsedAt_ms: OptionalMoment,
  /** The browser that may save its state; null if there is none. */
  writer: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** When its writer, or the last one, became the writer. */
  lentAt_ms: OptionalMoment.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** When its state was last saved. */
  savedAt_ms: OptionalMoment.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The program that saved its state, such as `Chromium 153.0.8010.0`. */
  savedBy: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})

export type Profile = typeof Profile.Type

/** A new profile without state. */
export const make = (
  fields: Pick<Profile, "id" | "owner" | "name" | "userId"> & { readonly at_ms: number }
): Profile => {
  const { at_ms, ...rest } = fields
  return {
    ...rest,
    cookieDomains: null,
    createdAt_ms: at_ms,
    updatedAt_ms: at_ms,
    lastUsedAt_ms: null,
    writer: null,
    lentAt_ms: null,
    savedAt_ms: null,
    savedBy: null
  }
}
