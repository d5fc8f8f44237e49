import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const within = <A, E>(address: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  PgClient.PgClient.use(use).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(address), maxConnections: 1 })),
    Effect.orDie
  )

const tablesOf = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1`,
    (rows) => rows.map(({ name }) => name)
  )

const fileOf = (folder: string, table: string) => `'${folder}/${table}.copy'`

/**
 * Writes every table of a database to a folder of the machine that Postgres runs on, as of one moment and while servers
 * write, as `pg_dump` does. The npm package with Postgres for tests has no `pg_dump`.
 */
export const dump = (address: string, folder: string) =>
  within(address, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
        const tables = yield* tablesOf(sql)
        for (const table of tables) yield* sql.unsafe(`COPY "${table}" TO ${fileOf(folder, table)}`)
        return tables
      })
    )
  )

/** Replaces the rows of a database that has the schema by those of a dump, without triggers, and sets its sequences. */
export const restore = (address: string, folder: string) =>
  within(address, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`SET LOCAL session_replication_role = replica`
        const tables = yield* tablesOf(sql)
        yield* sql.unsafe(`TRUNCATE ${tables.map((table) => `"${table}"`).join(", ")}`)
        for (const table of tables) yield* sql.unsafe(`COPY "${table}" FROM ${fileOf(folder, table)}`)
        const counted = yield* sql<{ readonly table: string; readonly column: string }>`
          SELECT table_name AS table, column_name AS column FROM information_schema.columns
          WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')`
        for (const { column, table } of counted) {
          yield* sql.unsafe(
            `SELECT setval(pg_get_serial_sequence('"${table}"', '${column}'), GREATEST(1, (SELECT max("${column}") FROM "${table}")))`
          )
        }
        return tables
      })
    )
  )
