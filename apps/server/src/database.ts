import { type ApiKey, ApiKeys, defaultKeyScopes, type KeyScope, keyScopes } from "@webagent/engine"
import { Database, PostgresDatabase, Retention, SqlApiKeys, SqlStore } from "@webagent/sql"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { type Data, layerDatabase, layerExisting } from "./data.ts"
import { operating, stopOwned } from "./operate.ts"
import { orSentence } from "./orSentence.ts"
import { program } from "./program.ts"
import * as Settings from "@webagent/cli/Settings"
import { atLeast } from "@webagent/cli/Flags"
import { asName, data, retention } from "./settings.ts"
import { usage } from "@webagent/cli/UserError"

const name = Flag.String("name").pipe(
  Flag.withDescription("Name the key: letters, digits, dots, dashes and underscores"),
  asName
)

const limit = (flag: string, what: string, least: number) =>
  Flag.Int(flag).pipe(
    Flag.withDescription(`Limit the key to this many ${what} (default: no limit)`),
    atLeast(least),
    Flag.optional
  )

const withKeys = <A, E>(
  database: ReturnType<typeof layerDatabase>,
  use: (keys: ApiKeys["Service"]) => Effect.Effect<A, E>
) => ApiKeys.use(use).pipe(Effect.provide(Layer.provide(SqlApiKeys.layer, database)), orSentence)

const create = Command.make(
  "create",
  {
    name,
    data,
    scopes: Flag.Literals("scope", keyScopes).pipe(
      Flag.withDescription("Allow the key to do this; repeatable (default: all but admin)"),
      Flag.atLeast(0)
    ),
    runs: limit("max-runs", "runs at once", 0),
    browsers: limit("max-browsers", "browsers at once", 0),
    requestsPerMinute: limit("requests-per-minute", "requests a minute", 1),
    usdPerDay: Flag.Finite("usd-per-day").pipe(
      Flag.withDescription("Refuse new runs once this many USD are spent in a day, by UTC (default: no limit)"),
      atLeast(0),
      Flag.optional
    )
  },
  ({ browsers, data, name, requestsPerMinute, runs, scopes, usdPerDay }) =>
    withKeys(layerDatabase(data), (keys) =>
      Effect.gen(function* () {
        const limits = {
          runs: Option.getOrNull(runs),
          browsers: Option.getOrNull(browsers),
          requestsPerMinute: Option.getOrNull(requestsPerMinute),
          usdPerDay: Option.getOrNull(usdPerDay)
        }
        const allowed: ReadonlyArray<KeyScope> = scopes.length === 0 ? defaultKeyScopes : [...new Set(scopes)]
        const { secret } = yield* Effect.catchTag(keys.create({ name, scopes: allowed, limits }), "KeyNameTaken", () =>
          Effect.fail(usage(`A key named ${name} exists. Revoke it first, or choose another name.`))
        )
        yield* Console.error(`Created the key ${name}. It is shown only now: keep it in a safe place.`)
        yield* Console.log(Redacted.value(secret))
      })
    )
).pipe(Command.withDescription("Create an API key, and print it this once"))

const date = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 16).replace("T", " ")

const line = ({ createdAt_ms, limits, name, prefix, revokedAt_ms, scopes }: ApiKey) => {
  const most = [
    ["runs", limits.runs],
    ["browsers", limits.browsers],
    ["requests/minute", limits.requestsPerMinute],
    ["USD/day", limits.usdPerDay]
  ].flatMap(([what, count]) => (count === null ? [] : [`${count} ${what}`]))
  return [
    name,
    `${prefix}...`,
    scopes.join(","),
    most.length === 0 ? "no limits" : most.join(", "),
    `created ${date(createdAt_ms)}`,
    ...(revokedAt_ms === null ? [] : [`revoked ${date(revokedAt_ms)}`])
  ].join("  ")
}

const list = Command.make("list", { data }, ({ data }) =>
  withKeys(layerExisting(data), (keys) =>
    Effect.flatMap(keys.list, (all) =>
      all.length === 0
        ? Console.error(`${data.name} has no keys. Create one: ${program} keys create --data ${data.name} --name NAME`)
        : Effect.forEach(all, (key) => Console.log(line(key)), { discard: true })
    )
  )
).pipe(Command.withDescription("List the API keys: name, beginning, scopes, limits and dates"))

const stop = Flag.Boolean("stop").pipe(
  Flag.withDescription("Cancel the key's runs and stop its browsers, on all servers"),
  Flag.withDefault(false)
)

const count = (of: number, what: string) => `${of} ${what}${of === 1 ? "" : "s"}`

/** Cancels the runs and stops the browsers of a revoked key. */
const stopAll = Effect.fnUntraced(function* (data: Data, name: string) {
  const { browsers, isComplete, runs } = yield* operating(data, stopOwned(name))
  yield* Console.log(`Cancelled ${count(runs, "run")} and stopped ${count(browsers, "browser")} of the key ${name}.`)
  if (isComplete) return
  yield* usage(`The key ${name} has more of them. Run the same command again.`)
})

const revoke = Command.make("revoke", { name, data, stop }, ({ data, name, stop }) =>
  Effect.gen(function* () {
    const wasRevoked = yield* withKeys(layerExisting(data), (keys) =>
      keys.revoke(name).pipe(
        Effect.as(false),
        Effect.catchTag("KeyNotFound", () =>
          Effect.flatMap(keys.revokedOf([name]), (revoked) =>
            stop && revoked.has(name)
              ? Effect.succeed(true)
              : Effect.fail(usage(`No key is named ${name}. List them: ${program} keys list --data ${data.name}`))
          )
        )
      )
    )
    yield* Console.log(
      wasRevoked
        ? `The key ${name} is revoked already.`
        : `Revoked the key ${name}. The next request with it is refused, and links to its browsers close within about a second.`
    )
    if (stop) yield* stopAll(data, name)
  })
).pipe(Command.withDescription("Revoke an API key at once, also at a server that runs"))

/** `keys create`, `keys list`, `keys revoke`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage the API keys of a database"),
  Command.withSubcommands([create, list, revoke])
)

/** Says of a file where the copy of it is: a database of Postgres is backed up by its operator. */
const migrated = (data: Data) =>
  data._tag === "File"
    ? Effect.map(Database.migrate(data.name), (done) => ({ ...done, kept: `The file as it was: ${done.backup}` }))
    : Effect.map(PostgresDatabase.migrate(data.url), (done) => ({
        ...done,
        kept: "Servers of the version before go on with it."
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
).pipe(Command.withDescription("Bring a database to this version; a file after a backup, its server stopped"))

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
).pipe(Command.withDescription("Copy a database file to a new file, also while a server uses it"))

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
).pipe(Command.withDescription("Delete what ended long ago, as a server does by itself"))
