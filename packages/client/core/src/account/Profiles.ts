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
  /**
   * Lists profiles, newest first. Pages are read while you take profiles from the stream.
   *
   * @param options - The query of the list, and headers and retries of its requests.
   * @returns A stream of profiles. Each page is one request.
   * @throws `OperationUnavailableError` if the service has no profiles.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   * import * as Stream from "effect/Stream"
   *
   * export const all = Profiles.use((profiles) => Stream.runCollect(profiles.list()))
   * ```
   */
  readonly list: (options?: Query & Omit<CallOptions, "timeout">) => Stream.Stream<Profile, ProfileListError>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The profiles of the page. `totalItems` is the number of profiles on all pages.
   * @throws `OperationUnavailableError` if the service has no profiles.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   *
   * export const newest = Profiles.use((profiles) => profiles.listPage({ pageSize: 10 }))
   * ```
   */
  readonly listPage: (options?: Query & CallOptions) => Effect.Effect<ProfileList, ProfileListError>
  /**
   * Creates a profile. Runs and browsers that name it in `profileId` start with its cookies and other state.
   *
   * @param input - The name, and your own id of the person whose browser state it is.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The profile.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   *
   * export const ada = Profiles.use((profiles) => profiles.create({ name: "Ada", userId: "user-7" }))
   * ```
   */
  readonly create: (input?: ProfileInput, options?: CreateOptions) => Effect.Effect<Profile, ProfileCreateError>
  /**
   * Reads a profile.
   *
   * @param id - The id of the profile.
   * @param options - Headers, a request id and retries of this call.
   * @returns The profile.
   * @throws `ProfileNotFoundError` if the service has no profile with this id, and `OperationUnavailableError` if it has
   *   no profiles.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   *
   * export const profile = Profiles.use((profiles) => profiles.get("5f2e"))
   * ```
   */
  readonly get: (id: string, options?: CallOptions) => Effect.Effect<Profile, ProfileError>
  /**
   * Changes the name or the user of a profile. Null clears a field.
   *
   * @param id - The id of the profile.
   * @param input - The fields to change.
   * @param options - Headers, a request id and retries of this call.
   * @returns The changed profile.
   * @throws `ProfileNotFoundError` if the service has no profile with this id.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   *
   * export const renamed = Profiles.use((profiles) => profiles.update("5f2e", { name: "Ada L." }))
   * ```
   */
  readonly update: (id: string, input: ProfileInput, options?: CallOptions) => Effect.Effect<Profile, ProfileError>
  /**
   * Deletes a profile and its state. It can't be undone.
   *
   * @param id - The id of the profile.
   * @param options - Headers, a request id and retries of this call.
   * @returns Nothing, once the profile is deleted.
   * @throws `ProfileNotFoundError` if the service has no profile with this id.
   * @example
   * ```ts
   * import { Profiles } from "@webagent/v4/account"
   *
   * export const deleted = Profiles.use((profiles) => profiles.delete("5f2e"))
   * ```
   */
  readonly delete: (id: string, options?: CallOptions) => Effect.Effect<void, ProfileError>
}

/**
 * Makes the operations on profiles of a version.
 *
 * @param version - The API version.
 * @param next - Returns the query of the next page, such as `Pages.nextNumber`.
 * @returns The operations.
 * @example
 * ```ts
 * import type { ProfileListQuery } from "@webagent/contract/v4"
 * import { Pages } from "@webagent/core"
 * import { Profiles } from "@webagent/core/account"
 *
 * export const profiles = Profiles.make("v4", Pages.nextNumber<ProfileListQuery>)
 * ```
 */
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
