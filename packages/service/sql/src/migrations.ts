import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"

/** Statements that bring every file from the version before to this one. Never change one that was released. */
const migration = (...statements: ReadonlyArray<string>) =>
  SqlClient.SqlClient.use((sql) => Effect.forEach(statements, (text) => sql.unsafe(text), { discard: true }))

const migrations = {
  "1_access": migration(
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      hash BLOB NOT NULL UNIQUE,
      prefix TEXT NOT NULL,
      scopes TEXT NOT NULL,
      limits TEXT NOT NULL,
      created_at_ms INTEGER NOT NULL,
      revoked_at_ms INTEGER
    ) STRICT`,
    `CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT`
  )
}

/** Where a file says which migrations it has. */
export const table = "migrations"

/** Every migration, oldest first. */
export const loader = Migrator.fromRecord(migrations)

/** The number of the newest migration: the schema that this version reads and writes. */
export const newest = Object.keys(migrations).length
