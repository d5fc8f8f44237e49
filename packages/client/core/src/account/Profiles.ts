import type { ConflictError, ProfileNotFoundError } from "@webagent/contract"
import { type Profile, ProfileExtensions, type ProfileInput, type ProfileList } from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CallOptions, CreateOptions } from "../CallOptions.ts"
import type { CallError, CreateError } from "../ContractClient.ts"
import type { OperationUnavailableError } from "../OperationUnavailableError.ts"
import * as Pages from "../Pages.ts"
import type { Transport } from "../Transport.ts"
import * as Optional from "./Optional.ts"

/** Errors that an operation on a profile can fail with. */
export type ProfileError = ProfileNotFoundError | CallError | OperationUnavailableError

/** Errors that listing profiles can fail with. */
export type ProfileListError = CallError | OperationUnavailableError

/** Errors that creating a profile can fail with. */
export type ProfileCreateError = CreateError | ConflictError | OperationUnavailableError

/** The operations on browser profiles. `Query` is the query of their list. */
export interface ProfileCalls<Query> {
  /** Lists profiles, newest first. Pages are read while you take profiles from the stream. */
  readonly list: (options?: Query & Omit<CallOptions, "timeout">) => Stream.Stream<Profile, ProfileListError>
  /** Reads one page of `list`. `totalItems` is the number of profiles on all pages. */
  readonly listPage: (options?: Query & CallOptions) => Effect.Effect<ProfileList, ProfileListError>
  /**
   * Creates a profile. Runs and browsers that name it in `profileId` start with its cookies and other state.
   *
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   */
  readonly create: (input?: ProfileInput, options?: CreateOptions) => Effect.Effect<Profile, ProfileCreateError>
  /**
   * Reads a profile.
   *
   * @throws `ProfileNotFoundError` if the service has no profile with this id, and `OperationUnavailableError` if it has
   *   no profiles.
   */
  readonly get: (id: string, options?: CallOptions) => Effect.Effect<Profile, ProfileError>
  /** Changes the name or the user of a profile. Null clears a field. */
  readonly update: (id: string, input: ProfileInput, options?: CallOptions) => Effect.Effect<Profile, ProfileError>
  /** Deletes a profile and its state. It can't be undone. */
  readonly delete: (id: string, options?: CallOptions) => Effect.Effect<void, ProfileError>
}

/** Makes the operations on profiles of a version. */
export const make = <Query extends object>(
  version: ApiVersion,
  next: (page: ProfileList, query: Query) => Query | undefined
): Effect.Effect<ProfileCalls<Query>, never, Transport> =>
  Effect.map(Optional.make(version, "Profiles", ProfileExtensions), (optional) => {
    const ofProfile = (id: string) => ({ params: { profile_id: id } })
    return {
      ...Pages.make<Query>()(optional.list, ({ items }) => items, next),
      create: (input = {}, options) => optional.create({ payload: input }, options),
      get: (id, options) => optional.get(ofProfile(id), options),
      update: (id, input, options) => optional.update({ ...ofProfile(id), payload: input }, options),
      delete: (id, options) => optional.delete(ofProfile(id), options)
    }
  })
