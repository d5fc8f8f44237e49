import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The secret of a database with this name, made at first use and kept; `isNew` is true for the caller that made it. */
export const madeSecret = (
  name: string
): Effect.Effect<{ readonly value: Uint8Array; readonly isNew: boolean }, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const value = yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(32))
    const made = yield* sql`INSERT INTO secrets (name, value) VALUES (${name}, ${value})
      ON CONFLICT (name) DO NOTHING RETURNING 1`
    const [kept] = yield* sql<{ readonly value: Uint8Array }>`SELECT value FROM secrets WHERE name = ${name}`
    return { value: kept?.value ?? value, isNew: made.length === 1 }
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))

/** The secret of a database with this name, made at first use and kept. */
export const secret = (name: string): Effect.Effect<Uint8Array, SqlError, SqlClient.SqlClient> =>
  Effect.map(madeSecret(name), ({ value }) => value)
