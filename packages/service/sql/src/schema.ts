import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseError } from "./DatabaseError.ts"

/** The table of the migrations that a database has, and that a server must know. */
export const table = "migrations"

/** The table of the migrations that servers of the version before may use the database with, in Postgres. */
const expansions = "expansions"

const newestIn = (sql: SqlClient.SqlClient, name: string, most: number) =>
  Effect.map(
    sql<{ readonly id: number | null }>`SELECT max(migration_id) AS id FROM ${sql(name)} WHERE migration_id <= ${most}`,
    ([row]) => row?.id ?? 0
  )

/** The newest migration that a database has; 0 for an empty one. One of a newer version or another program is refused. */
export const schemaOf = Effect.fnUntraced(function* (database: string, newest: number) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql.onDialectOrElse({
    pg: () =>
      sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
    orElse: () => sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
  })
  if (tables.length === 0) return 0
  if (!tables.some(({ name }) => name === table)) {
    const message = `${database} is the database of another program. Choose another one.`
    return yield* new DatabaseError({ database, message })
  }
  const schema = yield* newestIn(sql, table, 2 ** 31 - 1)
  if (schema > newest) {
    return yield* new DatabaseError({
      database,
      message: `${database} was written by a newer version (schema ${schema}, this one knows ${newest}). Update webagent-server, or use a backup.`
    })
  }
  if (!tables.some(({ name }) => name === expansions)) return schema
  return Math.max(schema, yield* newestIn(sql, expansions, newest))
})

/** Makes all migrations of a Postgres database ones that a server must know. */
export const contract: Effect.Effect<void, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS ${sql(expansions)} (LIKE ${sql(table)} INCLUDING ALL)`
  yield* sql`WITH known AS (DELETE FROM ${sql(expansions)} RETURNING *)
    INSERT INTO ${sql(table)} SELECT * FROM known ON CONFLICT DO NOTHING`
})

/** Lets servers that know the migrations up to one use a Postgres database with later ones. */
export const expand = (schema: number): Effect.Effect<void, SqlError, SqlClient.SqlClient> =>
  SqlClient.SqlClient.use(
    (sql) => sql`WITH later AS (DELETE FROM ${sql(table)} WHERE migration_id > ${schema} RETURNING *)
      INSERT INTO ${sql(expansions)} SELECT * FROM later`
  )

/** The error for a database that must be migrated first. */
export const isOlder = (database: string, schema: number, newest: number) =>
  new DatabaseError({
    database,
    message: `${database} is of an older version (schema ${schema}, this one needs ${newest}). Run: webagent-server migrate --data ${database}`
  })
