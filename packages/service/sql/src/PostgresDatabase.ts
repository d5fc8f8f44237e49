import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { DatabaseError } from "./DatabaseError.ts"
import * as Postgres from "./Postgres.ts"
import { parsed, shown } from "./PostgresAddress.ts"
import { loader, newest, oldest } from "./postgresMigrations.ts"
import type { Reader } from "./Reader.ts"
import { contract, expand, isOlder, schemaOf, table } from "./schema.ts"

export { isAddress, shown } from "./PostgresAddress.ts"

/** The message of a Postgres error, also where a host name has several addresses. */
const causeOf = ({ message, reason }: SqlError) => {
  const { errors, ...cause } = (reason.cause ?? {}) as {
    readonly message?: string
    readonly errors?: ReadonlyArray<Error>
  }
  return (
    errors?.map((error) => error.message).join(", ") ||
    (reason.cause instanceof Error && reason.cause.message) ||
    cause.message ||
    message
  )
}

const unusable = (database: string) => (error: SqlError) =>
  new DatabaseError({
    database,
    isAway: true,
    message: `Cannot use ${database}: ${causeOf(error)}. Check the address, the user's rights, and that Postgres runs.`
  })

const checked = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  if (parsed(url) !== null) return
  return yield* new DatabaseError({
    database: "the address",
    message:
      "The address of the Postgres database is wrong. Use postgres://user:password@host:5432/name, and %XX for each of @ : / ? # % in the password."
  })
})

/** The key of the lock that lets one node migrate at a time; any number that no other program uses. */
const lock = 0x77_65_62_61

const run = Migrator.make({})({ loader, table })

/** Refuses a user who may not create tables, because Postgres names the reason only for the first failure. */
const allowed = Effect.fnUntraced(function* (database: string) {
  const sql = yield* SqlClient.SqlClient
  const [right] = yield* sql<{
    readonly schema: string | null
    readonly user: string
    readonly creates: boolean | null
  }>`
    SELECT current_schema() AS schema, current_user AS user, has_schema_privilege(current_schema(), 'CREATE') AS creates`
  if (right === undefined || right.creates === true) return
  return yield* new DatabaseError({
    database,
    message: `The user of ${database} may not create tables there. Run as the owner of the database: GRANT CREATE ON SCHEMA ${right.schema ?? "public"} TO ${right.user}`
  })
})

/** Tables that servers write, in the order in which a commit writes them. */
const written = ["idempotency_keys", "sessions", "turns", "turn_list", "browsers", "turn_steps", "model_calls"]

/** Lets the commits of servers finish and has further ones wait, because a migration would lock tables in another order. */
const alone = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_tables
    WHERE schemaname = current_schema() AND ${sql.in("tablename", written)}`
  for (const name of written.filter((name) => tables.some((each) => each.name === name))) {
    yield* sql`LOCK TABLE ${sql(name)} IN SHARE ROW EXCLUSIVE MODE`
  }
})

/** Number of times that a migration begins again after a deadlock, such as one with the deletion of old records. */
const deadlocks = 5

const isDeadlock = (error: unknown) => isSqlError(error) && error.reason._tag === "DeadlockError"

/** Runs once when several nodes start together: one migrates, the others wait and find it done. */
const migrating = Effect.fnUntraced(function* (database: string, isWanted: (schema: number) => boolean) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(${lock})`
      const schema = yield* schemaOf(database, newest)
      if (schema === newest) return { from: schema, to: newest }
      if (!isWanted(schema)) {
        return yield* schema === 0
          ? new DatabaseError({ database, message: `${database} is empty. Check its name, or start a server with it.` })
          : isOlder(database, schema, newest)
      }
      yield* allowed(database)
      if (schema > 0) yield* Effect.andThen(alone, contract)
      yield* run
      // servers of the version before go on, and can start again
      if (schema > 0) yield* expand(Math.max(schema, oldest))
      return { from: schema, to: newest }
    })
  )
})

/** Migrates over a connection of its own without a time limit. */
const migrated = (url: Redacted.Redacted, isWanted: (schema: number) => boolean) =>
  Effect.andThen(checked(url), migrating(shown(url), isWanted)).pipe(
    Effect.retry({
      times: deadlocks,
      while: (error) => isDeadlock(error) || (error._tag === "MigrationError" && isDeadlock(error.cause))
    }),
    Effect.provide(Postgres.layer({ url, connections: 1, patience_ms: 86_400_000 })),
    Effect.catchTags({
      SqlError: (error) => Effect.fail(unusable(shown(url))(error)),
      MigrationError: ({ cause, message }) =>
        Effect.fail(
          new DatabaseError({
            database: shown(url),
            message: `${message}${isSqlError(cause) ? `: ${causeOf(cause)}` : ""}. ${shown(url)} is as it was before.`
          })
        )
    })
  )

/** Brings a database to the schema of this version, while servers of the version before go on. */
export const migrate = (
  url: Redacted.Redacted
): Effect.Effect<{ readonly from: number; readonly to: number }, DatabaseError> => migrated(url, () => true)

const opened = (options: Postgres.PostgresOptions, isWanted: (schema: number) => boolean) =>
  Postgres.layer(options).pipe(
    Layer.catchTag("SqlError", (error) => Layer.effectContext(Effect.fail(unusable(shown(options.url))(error)))),
    Layer.provide(Layer.effectDiscard(migrated(options.url, isWanted)))
  )

/** The database of servers. One of the servers that start together prepares an empty one. */
export const layer = (options: Postgres.PostgresOptions): Layer.Layer<SqlClient.SqlClient | Reader, DatabaseError> =>
  opened(options, (schema) => schema === 0)

/** The database of a command that needs one in use; refuses an empty one. */
export const layerExisting = (
  options: Postgres.PostgresOptions
): Layer.Layer<SqlClient.SqlClient | Reader, DatabaseError> => opened(options, () => false)
