import { ConflictError, fromMillis, ProfileNotFoundError } from "@webagent/contract"
import type { Profile, ProfileInput } from "@webagent/contract/v4"
import { Engine, type Profile as Stored, Profiles } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { withPort } from "./NoPort.ts"
import type { NumberedPage } from "./NumberedPages.ts"
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

/** The operations on profiles, the same in every version that has them. */
export const make = Effect.map(Effect.all([Profiles, Engine]), ([port, engine]) => ({
  create: (wanted: SafeCreate.CreateRequest<ProfileInput>) =>
    withPort(port, (profiles) =>
      SafeCreate.once(wanted, (safe) =>
        engine.once(safe, "Profile", (keep) => {
          const { name = null, userId = null } = wanted.payload
          return Effect.map(
            profiles.create({ name, userId }, (profile, at_ms) => keep({ _tag: "Profile", profile }, at_ms)),
            (profile) => ({ _tag: "Profile" as const, profile })
          )
        })
      ).pipe(
        Effect.map(({ profile }) => fromDomain(profile)),
        Effect.catchTag("NoRoom", ({ message }) => Effect.fail(new ConflictError({ detail: message })))
      )
    ),
  list: (query: string, page: NumberedPage) =>
    withPort(port, (profiles) =>
      Effect.map(profiles.list(query, page.skipped, page.size), ({ items, total }) => ({
        items: items.map(fromDomain),
        totalItems: total,
        pageNumber: page.number,
        pageSize: page.size
      }))
    ),
  get: (id: string) =>
    withPort(port, (profiles) =>
      profiles.find(id.toLowerCase()).pipe(Effect.map(fromDomain), Effect.catchTag("ProfileNotFound", notFound))
    ),
  update: (id: string, { name, userId }: ProfileInput) =>
    withPort(port, (profiles) =>
      profiles
        .update(id.toLowerCase(), {
          ...(name === undefined ? {} : { name }),
          ...(userId === undefined ? {} : { userId })
        })
        .pipe(Effect.map(fromDomain), Effect.catchTag("ProfileNotFound", notFound))
    ),
  delete: (id: string) =>
    withPort(port, (profiles) => Effect.catchTag(profiles.remove(id.toLowerCase()), "ProfileNotFound", notFound))
}))
