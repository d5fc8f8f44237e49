import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Profile } from "./domain/Profile.ts"
import { freshId } from "./freshIds.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import { NoRoom, ProfileNotFound, Profiles, type ProfilesService } from "./ports/Profiles.ts"

/** The most profiles of one owner. */
const mostProfiles = 1000

/** Profiles in memory, and all of them for a snapshot. */
export interface MemoryProfiles {
  readonly profiles: ProfilesService
  readonly records: Effect.Effect<ReadonlyArray<Profile>>
}

/**
 * Keeps the names of profiles in memory, with these at the start. It saves no browser state: a browser with a profile
 * starts empty.
 */
export const make = Effect.fnUntraced(function* (records: ReadonlyArray<Profile> = []) {
  const ids = yield* IdSource
  const stored = new Map(records.map((profile) => [profile.id, profile]))

  const isSeenBy = (owner: string | null) => (profile: Profile) => owner === null || profile.owner === owner

  const find = (id: string) =>
    Effect.flatMap(Owner, (owner) => {
      const profile = stored.get(id)
      return profile !== undefined && isSeenBy(owner)(profile)
        ? Effect.succeed(profile)
        : Effect.fail(new ProfileNotFound({ id }))
    })

  const change = (id: string, changed: (now_ms: number) => Partial<Profile>) =>
    Effect.zipWith(find(id), Clock.currentTimeMillis, (profile, now_ms) => {
      const next = { ...profile, ...changed(Math.max(now_ms, profile.updatedAt_ms)) }
      stored.set(id, next)
      return next
    })

  const profiles: ProfilesService = {
    create: Effect.fnUntraced(function* (fields) {
      const owner = yield* Owner
      if ([...stored.values()].filter(isSeenBy(owner)).length >= mostProfiles) {
        return yield* new NoRoom({ message: `There are ${mostProfiles} profiles, the most that one API key may have` })
      }
      const id = yield* freshId(ids, "profile", (each) => stored.has(each))
      const now_ms = yield* Clock.currentTimeMillis
      const times = { createdAt_ms: now_ms, updatedAt_ms: now_ms, lastUsedAt_ms: null }
      const profile: Profile = { id, owner, ...fields, cookieDomains: null, ...times }
      stored.set(id, profile)
      return profile
    }),
    find,
    list: (query, from, limit) =>
      Effect.map(Owner, (owner) => {
        const text = query.toLowerCase()
        const fitting = [...stored.values()].filter(
          (profile) => isSeenBy(owner)(profile) && (profile.name ?? "").toLowerCase().includes(text)
        )
        return { items: fitting.toReversed().slice(from, from + limit), total: fitting.length }
      }),
    update: (id, fields) => change(id, (updatedAt_ms) => ({ ...fields, updatedAt_ms })),
    remove: (id) => Effect.map(find(id), () => void stored.delete(id)),
    use: (id) => change(id, (lastUsedAt_ms) => ({ lastUsedAt_ms }))
  }
  const made: MemoryProfiles = { profiles, records: Effect.sync(() => [...stored.values()]) }
  return made
})

/** Keeps the names of profiles in memory; they are lost with the process. */
export const layer: Layer.Layer<never, never, IdSource> = Layer.effect(
  Profiles,
  Effect.map(make(), ({ profiles }) => profiles)
)
