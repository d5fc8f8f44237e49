import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The secret of a database with this name, made at first use and kept. */
export const secret = (name: string): Effect.Effect<Uint8Array, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const value = yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(32))
    yield* sql`INSERT INTO secrets (name, value) VALUES (${name}, ${value}) ON CONFLICT (name) DO NOTHING`
    const [kept] = yield* sql<{ readonly value: Uint8Array }>`SELECT value FROM secrets WHERE name = ${name}`
    return kept?.value ?? value
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
