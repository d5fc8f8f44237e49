import { assert, describe, it } from "@effect/vitest"
import { Engine, Profiles, Store, TimeOrderedIds } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import { profilesContract } from "@webagent/store-contract/Profiles"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { newProfileKey, type Reader, SqlProfiles, SqlStore } from "../src/index.ts"
import { engine } from "./retention.ts"

const [first, second, other] = [newProfileKey().key, newProfileKey().key, newProfileKey().key]

const state = { bytes: Buffer.alloc(3_000_000, "state"), domains: ["a.example"], savedBy: "Chromium 1.2.3" }

/** What the profiles of each database have to do. */
export const profilesOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>) => {
  const layerWith = (keys: SqlProfiles.ProfilesOptions["keys"] = [first]) =>
    Layer.provide(SqlProfiles.layer({ keys }), TimeOrderedIds.layer)

  profilesContract(`SqlProfiles over ${name}`, Layer.orDie(Layer.provide(layerWith(), database)))

  /** The profiles of the same database with these keys. */
  const open = (keys?: SqlProfiles.ProfilesOptions["keys"]) =>
    Effect.map(Effect.provide(Profiles, layerWith(keys), { local: true }), (profiles) => profiles ?? assert.fail())

  const test = (title: string, body: Effect.Effect<unknown, unknown, SqlClient.SqlClient | Reader>) =>
    it.live(title, () => Effect.asVoid(body).pipe(Effect.provide(Layer.fresh(database), { local: true })))

  /** A profile with a saved state. */
  const saved = Effect.gen(function* () {
    const profiles = yield* open()
    const { id } = yield* profiles.create({ name: null, userId: null })
    yield* profiles.acquire(id, "b1", null)
    yield* profiles.save(id, "b1", state)
    return { id, profiles }
  })

  const messageOf = (id: string, keys?: SqlProfiles.ProfilesOptions["keys"]) =>
    Effect.flatMap(open(keys), (profiles) => Effect.map(Effect.flip(profiles.load(id)), ({ message }) => message))

  describe(`states of profiles over ${name}`, () => {
    test(
      "are encrypted, and name the missing key on a server with another one",
      Effect.gen(function* () {
        const { id } = yield* saved
        const sql = yield* SqlClient.SqlClient
        for (const { bytes } of yield* sql<{ readonly bytes: Uint8Array }>`SELECT bytes FROM profile_chunks`) {
          assert.notInclude(Buffer.from(bytes).toString("latin1"), "statestate")
        }
        const wrong = yield* messageOf(id, [other])
        assert.include(wrong, `profile key ${first.id}, and there are ${other.id}`)
        assert.include(yield* messageOf(id, []), `profile key ${first.id}, and there is none`)
        assert.isNotNull(yield* Effect.flatMap(open([other, first]), (profiles) => profiles.load(id)))
      })
    )

    test(
      "get a new key without being rewritten",
      Effect.gen(function* () {
        const { id } = yield* saved
        const sql = yield* SqlClient.SqlClient
        const chunks = sql`SELECT * FROM profile_chunks ORDER BY i`
        const before = yield* chunks
        assert.deepStrictEqual(yield* SqlProfiles.rotate([other]), [first.id])
        assert.deepStrictEqual(yield* SqlProfiles.rotate([second, first]), [])
        assert.deepStrictEqual(yield* chunks, before)
        assert.isTrue(state.bytes.equals((yield* (yield* open([second])).load(id))?.bytes ?? assert.fail()))
        assert.include(yield* messageOf(id), `profile key ${second.id}`)
      })
    )

    test(
      "of a deleted profile are gone after the next start, even if a server was killed during a save",
      Effect.gen(function* () {
        const { id, profiles } = yield* saved
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO profile_saves (save, profile, key_id, data_key, chunks)
          SELECT 'half', 'gone', key_id, data_key, chunks FROM profile_saves`
        yield* sql`INSERT INTO profile_chunks (save, i, bytes) SELECT 'half', 0, bytes FROM profile_chunks WHERE i = 0`
        yield* SqlProfiles.rotate([first])
        const rows = yield* sql`SELECT save FROM profile_saves UNION SELECT save FROM profile_chunks`
        assert.lengthOf(rows, 1)
        assert.isNotNull(yield* profiles.load(id))
      })
    )

    test(
      "can be opened by servers with the same keys in another order",
      Effect.gen(function* () {
        const { id, profiles } = yield* saved
        yield* Effect.flatMap(open([second, first]), ({ save }) => save(id, "b1", state))
        assert.include(yield* messageOf(id), `profile key ${second.id}`)
        assert.isNotNull(yield* Effect.flatMap(open([first, second]), ({ load }) => load(id)))
        yield* profiles.save(id, "b1", state)
        assert.isNotNull(yield* Effect.flatMap(open([second, first]), ({ load }) => load(id)))
      })
    )

    test(
      "don't include the secrets of unfinished runs, whose keys are listed until the runs finish",
      Effect.gen(function* () {
        const store = yield* Store
        const pin = { alias: "pin", domains: ["shop.example"], server: null }
        for (const [name, sealed] of [
          ["1", `${first.id}.abc`],
          ["2", `${second.id}.abc`],
          ["3", null]
        ] as const) {
          const made = creation(name)
          const secrets = [
            { ...pin, sealed: null },
            { ...pin, sealed }
          ]
          // metadata can look like a secret
          const metadata = { sealed: "other.abc" }
          yield* store.commit({ ...made, turns: (made.turns ?? []).map((turn) => ({ ...turn, metadata, secrets })) })
        }
        assert.deepStrictEqual(yield* SqlProfiles.rotate([second, first]), [])
        assert.sameMembers(yield* SqlProfiles.secretKeys, [first.id, second.id])
        yield* Effect.provide(
          Engine.use(({ cancelTurn }) => cancelTurn("t1")),
          engine
        )
        assert.deepStrictEqual(yield* SqlProfiles.secretKeys, [second.id])
      }).pipe(Effect.provide(SqlStore.layer))
    )

    test(
      "are damaged if a part is changed, truncated, missing or from another profile",
      Effect.gen(function* () {
        const { id, profiles } = yield* saved
        const sql = yield* SqlClient.SqlClient
        const damaged = Effect.map(messageOf(id), (message) => assert.include(message, "it's damaged"))
        const [row = assert.fail()] = yield* sql<{ readonly bytes: Uint8Array }>`SELECT bytes FROM profile_chunks
          WHERE i = 2`
        const put = (bytes: Uint8Array) => sql`UPDATE profile_chunks SET bytes = ${bytes} WHERE i = 2`
        const flipped = Uint8Array.from(row.bytes)
        flipped[7] = (flipped[7] ?? 0) ^ 1
        for (const bytes of [flipped, row.bytes.subarray(0, -1), new Uint8Array(0)]) {
          yield* put(bytes)
          yield* damaged
        }
        yield* put(row.bytes)
        yield* profiles.load(id)
        // a state that is given to another profile
        const thief = yield* profiles.create({ name: null, userId: null })
        yield* sql`UPDATE profiles SET save = (SELECT save FROM profiles WHERE id = ${id}), saved_by = 'x'
          WHERE id = ${thief.id}`
        assert.include(yield* messageOf(thief.id), "it's damaged")
        yield* sql`DELETE FROM profile_chunks WHERE i = 1`
        yield* damaged
        // the profile can still be saved
        yield* profiles.save(id, "b1", state)
        yield* profiles.load(id)
      })
    )

    test(
      "survive an interrupted save, which the next save cleans up",
      Effect.gen(function* () {
        const { id, profiles } = yield* saved
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO profile_saves ${sql.insert({
          save: "cut",
          profile: id,
          key_id: first.id,
          data_key: new Uint8Array(60),
          chunks: 3
        })}`
        yield* sql`INSERT INTO profile_chunks ${sql.insert({ save: "cut", i: 0, bytes: new Uint8Array(9) })}`
        assert.isTrue(state.bytes.equals((yield* profiles.load(id))?.bytes ?? assert.fail()))
        const rows = Effect.map(sql`SELECT DISTINCT save FROM profile_chunks`, ({ length }) => length)
        assert.strictEqual(yield* rows, 2)
        yield* profiles.save(id, "b1", state)
        assert.strictEqual(yield* rows, 1)
        yield* profiles.remove(id)
        assert.strictEqual(yield* rows, 0)
        assert.lengthOf(yield* sql`SELECT * FROM profile_saves`, 0)
      })
    )
  })
}
