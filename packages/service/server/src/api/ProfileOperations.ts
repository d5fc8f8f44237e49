import { ConflictError, fromMillis, ProfileNotFoundError } from "@webagent/contract"
import type { Profile, ProfileInput, ProfileListQuery } from "@webagent/contract/v4"
import { Engine, type Profile as Stored, Profiles } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { withPort } from "./NoPort.ts"
import * as NumberedPages from "./NumberedPages.ts"
import * as SafeCreate from "./SafeCreate.ts"

const orNull = (epoch_ms: number | null) => (epoch_ms === null ? null : fromMillis(epoch_ms))

const fromDomain = (profile: Stored): Profile => ({
  id: profile.id,
  name: profile.name,
  userId: profile.userId,
  lastUsedAt: orNull(profile.lastUsedAt_ms),
  createdAt: fromMillis(profile.createdAt_ms),
  updatedAt: fromMillis(profile.updatedAt_ms),
  cookieDomains: profile.cookieDomains
})

const notFound = () => Effect.fail(new ProfileNotFoundError({ detail: "Profile not found" }))

/** A request about one profile. */
interface OfProfile {
  readonly params: { readonly profile_id: string }
}

/** The handlers of the operations on profiles, the same in every version that has them. */
export const make = Effect.map(Effect.all([Profiles, Engine]), ([port, engine]) => {
  const list = (query: string, page: NumberedPages.NumberedPage) =>
    withPort(port, (profiles) =>
      Effect.map(profiles.list(query, page.skipped, page.size), ({ items, total }) => ({
        items: items.map(fromDomain),
        totalItems: total,
        pageNumber: page.number,
        pageSize: page.size
      }))
    )

  return {
    create: (wanted: SafeCreate.CreateRequest<ProfileInput>) =>
      withPort(port, (profiles) =>
        SafeCreate.once(wanted, (safe) =>
          engine.once(safe, "Profile", (keep) => {
            const { name = null, userId = null } = wanted.payload
            return profiles.create({ name, userId }, keep)
          })
        ).pipe(
          Effect.map(({ profile }) => fromDomain(profile)),
          Effect.catchTag("NoRoom", ({ message }) => Effect.fail(new ConflictError({ detail: message })))
        )
      ),
    list,
    /** As `list`, under the names that v2 and v4 have for the number and the size of a page. */
    listNumbered: ({ query }: { readonly query: ProfileListQuery }) =>
      Effect.flatMap(NumberedPages.pageOf("pageNumber", query.pageNumber, query.pageSize), (page) =>
        list(query.query ?? "", page)
      ),
    get: ({ params }: OfProfile) =>
      withPort(port, (profiles) =>
        profiles
          .find(params.profile_id.toLowerCase())
          .pipe(Effect.map(fromDomain), Effect.catchTag("ProfileNotFound", notFound))
      ),
    update: ({ params, payload: { name, userId } }: OfProfile & { readonly payload: ProfileInput }) =>
      withPort(port, (profiles) =>
        profiles
          .update(params.profile_id.toLowerCase(), {
            ...(name === undefined ? {} : { name }),
            ...(userId === undefined ? {} : { userId })
          })
          .pipe(Effect.map(fromDomain), Effect.catchTag("ProfileNotFound", notFound))
      ),
    delete: ({ params }: OfProfile) =>
      withPort(port, (profiles) =>
        Effect.catchTag(profiles.remove(params.profile_id.toLowerCase()), "ProfileNotFound", notFound)
      )
  }
})
