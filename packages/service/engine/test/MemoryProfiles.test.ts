import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as MemoryProfiles from "../src/MemoryProfiles.ts"
import { Owner } from "../src/ports/Owner.ts"
import { ids } from "./countedIds.ts"

const as = (owner: string | null) => Effect.provideService(Owner, owner)

describe("MemoryProfiles", () => {
  it.effect("a profile is created, changed, used and deleted", () =>
    Effect.gen(function* () {
      const { profiles, records } = yield* MemoryProfiles.make()
      const made = yield* profiles.create({ name: "Work", userId: null })
      assert.deepStrictEqual(made, {
        id: "profile-1",
        owner: null,
        name: "Work",
        userId: null,
        cookieDomains: null,
        createdAt_ms: 0,
        updatedAt_ms: 0,
        lastUsedAt_ms: null
      })
      yield* TestClock.adjust("1 second")
      const renamed = yield* profiles.update(made.id, { name: null, userId: "u" })
      assert.deepStrictEqual(renamed, { ...made, name: null, userId: "u", updatedAt_ms: 1000 })
      assert.deepStrictEqual(yield* profiles.use(made.id), { ...renamed, lastUsedAt_ms: 1000 })
      assert.strictEqual((yield* records).length, 1)
      yield* profiles.remove(made.id)
      assert.deepStrictEqual(yield* records, [])
      for (const gone of [profiles.find(made.id), profiles.remove(made.id), profiles.use(made.id)]) {
        assert.strictEqual((yield* Effect.flip(gone))._tag, "ProfileNotFound")
      }
    }).pipe(Effect.provide(ids))
  )

  it.effect("lists are newest first, by a part of the name, and show each owner its own", () =>
    Effect.gen(function* () {
      const { profiles } = yield* MemoryProfiles.make()
      for (const name of ["Home", "Work", "homework", null]) yield* as("ann")(profiles.create({ name, userId: null }))
      const other = yield* as("bob")(profiles.create({ name: "Home", userId: null }))
      const names = (query: string, from: number, limit: number) =>
        Effect.map(profiles.list(query, from, limit), ({ items, total }) => [items.map(({ name }) => name), total])
      assert.deepStrictEqual(yield* as("ann")(names("", 0, 2)), [[null, "homework"], 4])
      assert.deepStrictEqual(yield* as("ann")(names("", 2, 2)), [["Work", "Home"], 4])
      assert.deepStrictEqual(yield* as("ann")(names("HOME", 0, 10)), [["homework", "Home"], 2])
      assert.deepStrictEqual(yield* as(null)(names("", 0, 1)), [["Home"], 5])
      const refused = yield* Effect.all([
        Effect.flip(profiles.find(other.id)),
        Effect.flip(profiles.update(other.id, { name: "mine" })),
        Effect.flip(profiles.use(other.id)),
        Effect.flip(profiles.remove(other.id))
      ]).pipe(as("ann"))
      assert.isTrue(refused.every(({ _tag }) => _tag === "ProfileNotFound"))
    }).pipe(Effect.provide(ids))
  )

  it.effect("an owner has at most 1000", () =>
    Effect.gen(function* () {
      const { profiles } = yield* MemoryProfiles.make()
      const create = profiles.create({ name: null, userId: null })
      yield* as("ann")(Effect.repeat(create, { times: 999 }))
      assert.strictEqual((yield* Effect.flip(as("ann")(create)))._tag, "NoRoom")
      yield* as("bob")(create)
    }).pipe(Effect.provide(ids))
  )
})
