import { assert, describe } from "@effect/vitest"
import { KeyTaken, profileLimits, Profiles, type ProfilesService } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { as, type PortTest, portTest, tagOf } from "./PortTest.ts"

const unnamed = { name: null, userId: null }

/** A state that has more than one row in a database. */
const state = (seed: number, size = 1_100_000) => ({
  bytes: Buffer.alloc(size, `${seed},`),
  domains: ["a.example", "b.example"],
  savedBy: "Chromium 1.2.3"
})

/** Tests every storage of profiles. The layer is built for each test and starts empty. */
export const profilesContract = <E>(name: string, layer: Layer.Layer<never, E>): void => {
  const test = portTest(Profiles, layer)

  describe(`${name} as storage of profiles`, () => {
    test("creates nothing if an idempotency key was used", function* (profiles) {
      const kept: Array<string> = []
      const profile = yield* profiles.create(unnamed, ({ id }) => Effect.sync(() => void kept.push(id)))
      assert.deepStrictEqual(kept, [profile.id])
      const made = { _tag: "Profile", profile } as const
      const taken = new KeyTaken({ record: { key: "k", body: "b", createdAt_ms: 0, made } })
      assert.strictEqual(yield* tagOf(profiles.create(unnamed, () => taken)), "KeyTaken")
      assert.strictEqual((yield* profiles.list("", 0, 10)).total, 1)
    })

    test("refuses an id or name with a NUL", function* (profiles) {
      yield* profiles.create(unnamed)
      assert.deepStrictEqual(yield* profiles.list("\u0000", 0, 10), { items: [], total: 0 })
      for (const use of [profiles.find, profiles.remove, profiles.use]) {
        assert.strictEqual(yield* tagOf(use("\u0000")), "ProfileNotFound")
      }
    })

    test("creates, updates, uses and deletes a profile", function* (profiles) {
      const made = yield* profiles.create({ name: "Work", userId: "u1" })
      assert.deepInclude(made, { owner: null, name: "Work", userId: "u1", cookieDomains: null, lastUsedAt_ms: null })
      assert.deepInclude(made, { writer: null, savedAt_ms: null, savedBy: null, updatedAt_ms: made.createdAt_ms })
      const renamed = yield* profiles.update(made.id, { name: null })
      assert.deepInclude(renamed, { id: made.id, name: null, userId: "u1", createdAt_ms: made.createdAt_ms })
      assert.isAtLeast(renamed.updatedAt_ms, made.updatedAt_ms)
      assert.isNotNull((yield* profiles.use(made.id)).lastUsedAt_ms)
      yield* profiles.remove(made.id)
      const { id } = made
      const attempts = [profiles.find(id), profiles.remove(id), profiles.use(id), profiles.load(id)]
      for (const attempt of attempts) {
        assert.strictEqual(yield* tagOf(attempt), "ProfileNotFound")
      }
    })

    test("lists newest first, by a part of the name in any case", function* (profiles) {
      for (const each of ["Home", "Wörk", "homeWÖRK", "100%", null]) {
        yield* profiles.create({ name: each, userId: null })
      }
      const names = (query: string, from: number, limit: number) =>
        Effect.map(profiles.list(query, from, limit), ({ items, total }) => [items.map((each) => each.name), total])
      assert.deepStrictEqual(yield* names("", 0, 2), [[null, "100%"], 5])
      assert.deepStrictEqual(yield* names("", 2, 2), [["homeWÖRK", "Wörk"], 5])
      assert.deepStrictEqual(yield* names("wörk", 0, 10), [["homeWÖRK", "Wörk"], 2])
      assert.deepStrictEqual(yield* names("%", 0, 10), [["100%"], 1])
    })

    test("shows each owner only its own, and treats another owner's as unknown", function* (profiles) {
      const { id } = yield* as("ann")(profiles.create({ name: "Home", userId: null }))
      yield* as("ann")(profiles.acquire(id, "b1", null))
      yield* as("ann")(profiles.save(id, "b1", state(3)))
      assert.strictEqual((yield* as("bob")(profiles.list("", 0, 10))).total, 0)
      assert.strictEqual((yield* as(null)(profiles.list("", 0, 10))).total, 1)
      const attempts: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        profiles.find(id),
        profiles.update(id, { name: "mine" }),
        profiles.use(id),
        profiles.acquire(id, "b2", "b1"),
        profiles.load(id),
        profiles.save(id, "b1", state(5)),
        profiles.remove(id)
      ]
      for (const attempt of attempts) assert.strictEqual(yield* tagOf(as("bob")(attempt)), "ProfileNotFound")
      assert.deepStrictEqual((yield* as("ann")(profiles.load(id)))?.bytes.length, state(3).bytes.length)
    })

    test("gives an owner at most 100 profiles, even with simultaneous creates", function* (profiles) {
      const create = as("ann")(profiles.create(unnamed))
      yield* Effect.repeat(create, { times: profileLimits.profiles - 3 })
      const last = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => tagOf(create), { concurrency: "unbounded" })
      assert.deepStrictEqual(last.toSorted(), ["NoRoom", "NoRoom", "NoRoom", "NoRoom", "done", "done"])
      yield* as("bob")(profiles.create(unnamed))
    })

    writers(test)
  })
}

/** Tests which browsers may save. */
const writers = (test: PortTest<ProfilesService>): void => {
  test("has one writer, even if many browsers ask at the same time", function* (profiles) {
    const { id } = yield* profiles.create(unnamed)
    const browsers = ["b1", "b2", "b3", "b4", "b5", "b6"]
    const won = yield* Effect.forEach(browsers, (browser) => profiles.acquire(id, browser, null), {
      concurrency: "unbounded"
    })
    assert.lengthOf(
      won.filter((each) => each),
      1
    )
    const { lastUsedAt_ms, writer } = yield* profiles.find(id)
    assert.strictEqual(writer, browsers[won.indexOf(true)])
    assert.isNotNull(lastUsedAt_ms)
    yield* profiles.release(id, "another")
    assert.strictEqual((yield* profiles.find(id)).writer, writer)
    assert.isTrue(yield* profiles.acquire(id, "heir", writer))
    yield* profiles.release(id, writer ?? "")
    yield* profiles.release(id, "heir")
    assert.isNull((yield* profiles.find(id)).writer)
  })

  test("keeps the last state that its writer saved", function* (profiles) {
    const { id } = yield* profiles.create(unnamed)
    assert.isNull(yield* profiles.load(id))
    assert.strictEqual(yield* tagOf(profiles.save(id, "b1", state(3))), "NotWriter")
    yield* profiles.acquire(id, "b1", null)
    yield* profiles.save(id, "b1", state(3))
    yield* profiles.save(id, "b1", { ...state(5, 10), domains: ["c.example"] })
    // another browser has become the writer, so the first one comes too late
    yield* profiles.acquire(id, "b2", "b1")
    assert.strictEqual(yield* tagOf(profiles.save(id, "b1", state(7))), "NotWriter")
    const loaded = yield* profiles.load(id)
    assert.deepStrictEqual(loaded, { ...state(5, 10), domains: ["c.example"] })
    const { cookieDomains, savedAt_ms, savedBy } = yield* profiles.find(id)
    assert.deepStrictEqual([cookieDomains, savedBy], [["c.example"], "Chromium 1.2.3"])
    assert.isNotNull(savedAt_ms)
    yield* profiles.save(id, "b2", state(11))
    assert.isTrue(state(11).bytes.equals((yield* profiles.load(id))?.bytes ?? assert.fail()))
  })

  test("refuses a state above the limit and keeps the previous one", function* (profiles) {
    const { id } = yield* profiles.create(unnamed)
    yield* profiles.acquire(id, "b1", null)
    yield* profiles.save(id, "b1", state(3, 10))
    const large = { ...state(3, 0), bytes: new Uint8Array(profileLimits.state_bytes + 1) }
    assert.strictEqual(yield* tagOf(profiles.save(id, "b1", large)), "NoRoom")
    assert.lengthOf((yield* profiles.load(id))?.bytes ?? [], 10)
  })

  test("refuses to save a deleted profile", function* (profiles) {
    const { id } = yield* profiles.create(unnamed)
    yield* profiles.acquire(id, "b1", null)
    yield* profiles.save(id, "b1", state(3))
    yield* profiles.remove(id)
    assert.strictEqual(yield* tagOf(profiles.save(id, "b1", state(3))), "ProfileNotFound")
    yield* profiles.release(id, "b1")
  })
}
