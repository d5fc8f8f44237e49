import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { Profile } from "../domain/Profile.ts"
import type { Keep, KeyTaken, StoreUnavailable } from "./Store.ts"

/** No profile of the caller has this id. */
export class ProfileNotFound extends Data.TaggedError("ProfileNotFound")<{ readonly id: string }> {}

/** There is no room for more. `message` says what is full, and what to do. */
export class NoRoom extends Data.TaggedError("NoRoom")<{ readonly message: string }> {}

/** The state of a profile can't be read. The message says why, and what an operator can do. */
export class ProfileUnreadable extends Data.TaggedError("ProfileUnreadable")<{ readonly message: string }> {}

/** The browser may not save the profile: another one is its writer by now. */
export class NotWriter extends Data.TaggedError("NotWriter")<{ readonly id: string }> {}

/** The fields of a profile that its owner sets. */
export type ProfileFields = Pick<Profile, "name" | "userId">

/** A part of a list, and the number of records in all of it. */
export interface Counted<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** The state that a browser saved: cookies and storage in the browser's own format. */
export interface ProfileState {
  readonly bytes: Uint8Array
  /** The domains that the state is for. */
  readonly domains: ReadonlyArray<string>
  /** The program that saved it. */
  readonly savedBy: string
}

/** The most profiles of one owner, and the most bytes of a profile's state. */
export const profileLimits = { profiles: 100, state_bytes: 20_000_000 }

type OfProfile<A, E = never> = Effect.Effect<A, E | ProfileNotFound | StoreUnavailable>

/** Storage of profiles and of their state. Each caller sees its own. */
export interface ProfilesService {
  /** The reason why browsers can't use profiles here, with what to do; absent if they can. */
  readonly unusable?: string
  readonly create: (
    fields: ProfileFields,
    keep?: Keep<Profile>
  ) => Effect.Effect<Profile, NoRoom | KeyTaken | StoreUnavailable>
  readonly find: (id: string) => OfProfile<Profile>
  /** Lists the profiles whose name contains a text, in any case: newest first, from this place on. */
  readonly list: (query: string, from: number, limit: number) => Effect.Effect<Counted<Profile>, StoreUnavailable>
  readonly update: (id: string, fields: Partial<ProfileFields>) => OfProfile<Profile>
  /** Deletes the profile with its state. A browser that uses it can't save any more. */
  readonly remove: (id: string) => OfProfile<void>
  /** Notes that a browser starts with the profile. */
  readonly use: (id: string) => OfProfile<Profile>
  /**
   * Makes a browser the writer in place of another, or of none, and notes that it starts. False if the writer has
   * changed: read the profile again and decide again.
   */
  readonly acquire: (id: string, browserId: string, instead: string | null) => OfProfile<boolean>
  /** Ends that a browser is the writer; changes nothing if it isn't. */
  readonly release: (id: string, browserId: string) => Effect.Effect<void, StoreUnavailable>
  /** Reads the last saved state; null if none was saved. */
  readonly load: (id: string) => OfProfile<ProfileState | null, ProfileUnreadable>
  /** Replaces the state, all of it or nothing. Only the writer may. */
  readonly save: (id: string, browserId: string, state: ProfileState) => OfProfile<void, NotWriter | NoRoom>
}

/** The port to whatever keeps profiles; null where there are none. */
export const Profiles: Context.Reference<ProfilesService | null> = Context.Reference("@webagent/engine/Profiles", {
  defaultValue: (): ProfilesService | null => null
})

/** The error of a profile above the limit. */
export const profilesFull = (): NoRoom =>
  new NoRoom({
    message: `There are ${profileLimits.profiles} profiles, the most that one API key may have. Delete one first`
  })

/** The error of a state above the limit. */
export const stateTooLarge = (bytes: number): NoRoom =>
  new NoRoom({
    message: `The state has ${bytes} bytes, and a profile may have ${profileLimits.state_bytes}. Delete data of sites`
  })
