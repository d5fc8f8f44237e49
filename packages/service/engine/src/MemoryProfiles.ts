import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Profile from "./domain/Profile.ts"
import * as MemoryOwned from "./MemoryOwned.ts"
import { IdSource } from "./ports/IdSource.ts"
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
  const owned = MemoryOwned.make<Profile.Profile, ProfileNotFound>({
    ids: yield* IdSource,
    kind: "profile",
    most: profileLimits.profiles,
    full: profilesFull,
    missing: (id) => new ProfileNotFound({ id }),
    records
  })
  const { change, find, stored } = owned
  const states = new Map<string, ProfileState>()

  const profiles: ProfilesService = {
    create: (fields, keep) => owned.create((id, owner, at_ms) => Profile.make({ id, owner, ...fields, at_ms }), keep),
    find,
    list: (query, from, limit) =>
      Effect.map(owned.list, (all) => {
        const fitting = all.filter(({ name }) => (name ?? "").toLowerCase().includes(query.toLowerCase()))
        return { items: fitting.toReversed().slice(from, from + limit), total: fitting.length }
      }),
    update: (id, fields) => change(id, (updatedAt_ms) => ({ ...fields, updatedAt_ms })),
    remove: (id) =>
      Effect.andThen(
        owned.remove(id),
        Effect.sync(() => void states.delete(id))
      ),
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
