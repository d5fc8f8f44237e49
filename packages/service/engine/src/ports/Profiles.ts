import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Profile } from "../domain/Profile.ts"
import type { StoreUnavailable } from "./Store.ts"

/** No profile of the caller has this id. */
export class ProfileNotFound extends Data.TaggedError("ProfileNotFound")<{ readonly id: string }> {}

/** There is no room for more. `message` says what is full, and what to do. */
export class NoRoom extends Data.TaggedError("NoRoom")<{ readonly message: string }> {}

/** The fields of a profile that its owner sets. */
export type ProfileFields = Pick<Profile, "name" | "userId">

/** A part of a list, and the number of records in all of it. */
export interface Counted<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

type OfProfile<A> = Effect.Effect<A, ProfileNotFound | StoreUnavailable>

/** Storage of profiles. Each caller sees its own. */
export interface ProfilesService {
  readonly create: (fields: ProfileFields) => Effect.Effect<Profile, NoRoom | StoreUnavailable>
  readonly find: (id: string) => OfProfile<Profile>
  /** Lists the profiles whose name contains a text, in any case: newest first, from this place on. */
  readonly list: (query: string, from: number, limit: number) => Effect.Effect<Counted<Profile>, StoreUnavailable>
  readonly update: (id: string, fields: Partial<ProfileFields>) => OfProfile<Profile>
  readonly remove: (id: string) => OfProfile<void>
  /** Notes that a browser starts with the profile. */
  readonly use: (id: string) => OfProfile<Profile>
}

/** The port to whatever keeps profiles; null where there are none. */
export const Profiles: Context.Reference<ProfilesService | null> = Context.Reference("@webagent/engine/Profiles", {
  defaultValue: (): ProfilesService | null => null
})
