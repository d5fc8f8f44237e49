import { Database, PostgresDatabase, Retention, SqlStore } from "@webagent/sql"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { Data } from "./data.ts"
import { layerExisting } from "./databaseLayers.ts"
import { orSentence } from "./orSentence.ts"
import * as Settings from "@webagent/cli/Settings"
import { data, retention } from "./settings.ts"
import { usage } from "@webagent/cli/UserError"

/** Says of a file where the copy of it is: a database of Postgres is backed up by its operator. */
const migrated = (data: Data) =>
  data._tag === "File"
    ? Effect.map(Database.migrate(data.name), (done) => ({ ...done, kept: `The file as it was: ${done.backup}` }))
    : Effect.map(PostgresDatabase.migrate(data.url), (done) => ({
        ...done,
        kept: "Servers with the previous version continue to use it."
      }))

/** `migrate`. */
export const migrate = Command.make("migrate", { data }, ({ data }) =>
  orSentence(
    Effect.flatMap(migrated(data), ({ from, kept, to }) =>
      Console.log(
        from === to
          ? `${data.name} is up to date (schema ${to}).`
          : `Migrated ${data.name} from schema ${from} to ${to}. ${kept}`
      )
    )
  )
).pipe(Command.withDescription("Migrate a database to this version. A file is backed up first; stop its server"))

/** `backup`. */
export const backup = Command.make(
  "backup",
  { to: Argument.String("to").pipe(Argument.withDescription("The file to write")), data },
  ({ data, to }) =>
    data._tag === "Postgres"
      ? Effect.fail(
          usage(
            `${data.name} is backed up with the tools of Postgres. Run: pg_dump --format=custom --file=${to} "${data.name}"`
          )
        )
      : orSentence(Effect.andThen(Database.backup(data.name, to), Console.log(`Backed up ${data.name} to ${to}.`)))
).pipe(Command.withDescription("Copy a database file to a new file, even while a server uses it"))

/** `prune`. */
export const prune = Command.make("prune", { data, ...Settings.flags(retention) }, ({ data, keepDays, keepRuns }) =>
  Retention.prune({ keep_ms: keepDays * 86_400_000, keepRuns }).pipe(
    Effect.flatMap(({ browsers, keys, sessions, turns }) =>
      Console.log(
        `Deleted ${turns} runs, ${sessions} sessions with their runs, ${browsers} browsers and ${keys} idempotency keys.`
      )
    ),
    Effect.provide(Layer.provideMerge(SqlStore.layer, layerExisting(data))),
    orSentence
  )
).pipe(Command.withDescription("Delete old runs, sessions and browsers, as a server does by itself"))
