import { assert, describe, it } from "@effect/vitest"
import { Profiles, TimeOrderedIds } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { readFileSync } from "node:fs"
import { BadProfileKey, Database, newProfileKey, readProfileKeys, SqlProfiles } from "../src/index.ts"
import { file } from "./files.ts"
import { profilesOver } from "./profiles.ts"

profilesOver("SQLite", Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path }))))

describe("profile keys", () => {
  it("are one or more, each with its own id", () => {
    const [one, two] = [newProfileKey(), newProfileKey()]
    assert.deepStrictEqual(
      readProfileKeys(` ${one.text},\n${two.text}\n`).map(({ id }) => id),
      [one.key.id, two.key.id]
    )
    assert.deepStrictEqual(readProfileKeys(" \n"), [])
  })

  it("are refused without being shown", () => {
    for (const text of ["secret", `${"A".repeat(42)}=`, "ä".repeat(43)]) {
      assert.throws(
        () => readProfileKeys(text),
        BadProfileKey,
        "The profile key isn't Base64 of 32 bytes. Make one: openssl rand -base64 32"
      )
    }
    assert.throws(() => readProfileKeys(`${newProfileKey().text} x`), BadProfileKey, "Profile key 2 isn't Base64")
  })
})

it.live("deleting a profile removes its key from the file", () =>
  Effect.gen(function* () {
    const path = yield* file
    const { key } = newProfileKey()
    const layer = Layer.provideMerge(
      Layer.provide(SqlProfiles.layer({ keys: [key] }), TimeOrderedIds.layer),
      Database.layer({ file: path, checkpointEvery_ms: 3_600_000 })
    )
    yield* Effect.gen(function* () {
      const profiles = (yield* Profiles) ?? assert.fail()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* profiles.create({ name: null, userId: null })
      yield* profiles.acquire(id, "b1", null)
      yield* profiles.save(id, "b1", { bytes: Buffer.alloc(50_000, 1), domains: [], savedBy: "x" })
      const [row = assert.fail()] = yield* sql<{ readonly data_key: Uint8Array }>`SELECT data_key FROM profile_saves`
      yield* sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")
      assert.isTrue(readFileSync(path).includes(Buffer.from(row.data_key)))
      yield* profiles.remove(id)
      yield* sql.unsafe("PRAGMA wal_checkpoint(TRUNCATE)")
      assert.isFalse(readFileSync(path).includes(Buffer.from(row.data_key)))
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)
)
