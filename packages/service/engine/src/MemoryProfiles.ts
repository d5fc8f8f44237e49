import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Profile from "./domain/Profile.ts"
import { freshId } from "./freshIds.ts"
import { IdSource } from "./ports/IdSource.ts"
import { Owner } from "./ports/Owner.ts"
import {
  NotWriter,
  ProfileNotFound,
  profileLimits,
  Profiles,
  profilesFull,
  type ProfilesService,
  type ProfileState,
  stateTooLarge
} from "./ports/Profiles.ts"

/** Profiles in memory, and all of them for a snapshot. */
export interface MemoryProfiles {
  readonly profiles: ProfilesService
  readonly records: Effect.Effect<ReadonlyArray<Profile.Profile>>
}

/** Keeps profiles in memory, with these at the start, which have no state. */
export const make = Effect.fnUntraced(function* (records: ReadonlyArray<Profile.Profile> = []) {
  const ids = yield* IdSource
  const stored = new Map(records.map((profile) => [profile.id, profile]))
  const states = new Map<string, ProfileState>()

  const isSeenBy = (owner: string | null) => (profile: Profile.Profile) => owner === null || profile.owner === owner

  const find = (id: string) =>
    Effect.flatMap(Owner, (owner) => {
      const profile = stored.get(id)
      return profile !== undefined && isSeenBy(owner)(profile)
        ? Effect.succeed(profile)
        : Effect.fail(new ProfileNotFound({ id }))
    })

  const change = (id: string, changed: (now_ms: number) => Partial<Profile.Profile>) =>
    Effect.zipWith(find(id), Clock.currentTimeMillis, (profile, now_ms) => {
      const next = { ...profile, ...changed(Math.max(now_ms, profile.updatedAt_ms)) }
      stored.set(id, next)
      return next
    })

  const profiles: ProfilesService = {
    create: Effect.fnUntraced(function* (fields, keep) {
      const owner = yield* Owner
      const owned = [...stored.values()].filter((profile) => profile.owner === owner)
      if (owned.length >= profileLimits.profiles) return yield* profilesFull()
      const id = yield* freshId(ids, "profile", (each) => stored.has(each))
      const now_ms = yield* Clock.currentTimeMillis
      const profile = Profile.make({ id, owner, ...fields, at_ms: now_ms })
      if (keep !== undefined) yield* keep(profile, now_ms)
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
    remove: (id) =>
      Effect.map(find(id), () => {
        stored.delete(id)
        states.delete(id)
      }),
    use: (id) => change(id, (lastUsedAt_ms) => ({ lastUsedAt_ms })),
    acquire: (id, browserId, instead) =>
      Effect.flatMap(find(id), ({ writer }) =>
        writer === instead
          ? Effect.as(
              change(id, (now_ms) => ({ lastUsedAt_ms: now_ms, lentAt_ms: now_ms, writer: browserId })),
              true
            )
          : Effect.succeed(false)
      ),
    release: (id, browserId) =>
      Effect.sync(() => {
        const profile = stored.get(id)
        if (profile?.writer === browserId) stored.set(id, { ...profile, writer: null })
      }),
    load: (id) => Effect.map(find(id), () => states.get(id) ?? null),
    save: Effect.fnUntraced(function* (id, browserId, state) {
      if (state.bytes.length > profileLimits.state_bytes) return yield* stateTooLarge(state.bytes.length)
      if ((yield* find(id)).writer !== browserId) return yield* new NotWriter({ id })
      yield* change(id, (savedAt_ms) => ({ savedAt_ms, savedBy: state.savedBy, cookieDomains: state.domains }))
      states.set(id, state)
    })
  }
  const made: MemoryProfiles = { profiles, records: Effect.sync(() => [...stored.values()]) }
  return made
})

/** Keeps profiles in memory; they are lost with the process. */
export const layer: Layer.Layer<never, never, IdSource> = Layer.effect(
  Profiles,
  Effect.map(make(), ({ profiles }) => profiles)
)
