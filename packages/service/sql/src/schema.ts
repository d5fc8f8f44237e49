import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseError } from "./DatabaseError.ts"

/** The table of the migrations that a database has. */
export const table = "migrations"

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
  const [latest] = yield* sql<{ readonly id: number | null }>`SELECT max(migration_id) AS id FROM ${sql(table)}`
  const schema = latest?.id ?? 0
  if (schema <= newest) return schema
  return yield* new DatabaseError({
    database,
    message: `${database} was written by a newer version (schema ${schema}, this one knows ${newest}). Update webagent-server, or use a backup.`
  })
})

/** The error for a database that must be migrated first. */
export const isOlder = (database: string, schema: number, newest: number) =>
  new DatabaseError({
    database,
    message: `${database} is of an older version (schema ${schema}, this one needs ${newest}). Run: webagent-server migrate --data ${database}`
  })
