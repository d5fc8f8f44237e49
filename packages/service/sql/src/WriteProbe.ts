import type { StoreUnavailable } from "@webagent/engine"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { unavailable } from "./unavailable.ts"

/** Writes a value of this many bytes over the one before, to test whether the database takes a write of that size. */
export const write = (bytes: number): Effect.Effect<void, StoreUnavailable, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // SQLite skips a page that doesn't change, and Postgres compresses zeros
    const value = yield* SecureRandom.SecureRandom.use((random) => random.randomBytes(bytes))
    // the table exists: a new one would need a migration
    yield* Effect.mapError(
      sql`INSERT INTO secrets (name, value) VALUES ('write probe', ${value})
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      unavailable
    )
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
