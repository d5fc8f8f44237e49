import * as Schema from "effect/Schema"
import { Identifier } from "./Identifier.ts"
import { ConflictError } from "./Errors.ts"
import { ProfileNotFoundError } from "./ProfileNotFoundError.ts"
import { Label } from "./Label.ts"
import { answer, nullable, openRecord, undescribed } from "./OpenRecord.ts"
import type { Operation } from "./Operation.ts"
import { numberedPage } from "./Pagination.ts"
import { Timestamp } from "./Timestamp.ts"
import { profileOperations as operations } from "./Wire.ts"

/** The body of `POST /profiles` and `PATCH /profiles/{profile_id}`. In a PATCH, null clears a field. */
export const ProfileInput = openRecord({
  name: Label,
  // your own id of the person whose browser state it is
  userId: Label
}).annotate({ identifier: "ProfileInput" })
export type ProfileInput = typeof ProfileInput.Type

/** A browser profile: a name for browser state, such as cookies, that later browsers can start with. */
export const Profile = answer({
  id: Identifier,
  name: nullable(Schema.String),
  userId: nullable(Schema.String),
  lastUsedAt: nullable(Timestamp),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp),
  cookieDomains: nullable(Schema.Array(Schema.String))
}).annotate({ identifier: "Profile" })
export type Profile = typeof Profile.Type

/** A page of profiles, newest first. */
export const ProfileList = answer(numberedPage(Profile)).annotate({ identifier: "ProfileList" })
export type ProfileList = typeof ProfileList.Type

const ofProfile = { params: Schema.Struct({ profile_id: Identifier }), errors: [ProfileNotFoundError] } as const

/** The operations on profiles. */
export const ProfileExtensions = {
  list: { ...operations.listProfiles, success: ProfileList },
  create: { ...operations.createProfile, payload: ProfileInput, success: Profile, errors: [ConflictError] },
  get: { ...operations.getProfile, ...ofProfile, success: Profile },
  update: { ...operations.updateProfile, ...ofProfile, payload: ProfileInput, success: Profile },
  delete: { ...operations.deleteProfile, ...ofProfile, success: Schema.Void, status: 204 }
} as const satisfies Readonly<Record<string, Operation>>
