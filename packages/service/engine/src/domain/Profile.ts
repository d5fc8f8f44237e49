import * as Schema from "effect/Schema"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"

/** A browser profile: a name for browser state that later browsers can start with. */
export const Profile = Schema.Struct({
  id: Schema.String,
  owner: OptionalText,
  name: OptionalText,
  /** The caller's own id of the person whose state it is. */
  userId: OptionalText,
  /** The domains with cookies; null if none were saved. */
  cookieDomains: Schema.NullOr(Schema.Array(Schema.String)),
  createdAt_ms: Moment,
  updatedAt_ms: Moment,
  /** When a browser last started with it. */
  lastUsedAt_ms: OptionalMoment
})

export type Profile = typeof Profile.Type
