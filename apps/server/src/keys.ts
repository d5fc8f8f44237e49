import { defaultKeyScopes, type KeyScope, keyScopes } from "@webagent/engine"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { layerDatabase } from "./databaseLayers.ts"
import { print } from "./listing.ts"
import { program } from "./program.ts"
import { atLeast } from "@webagent/cli/Flags"
import { type ListedKey, Records } from "./records.ts"
import { from, within } from "./recordsOf.ts"
import { asName } from "./settings.ts"
import { usage } from "@webagent/cli/UserError"

const name = Flag.String("name").pipe(
  Flag.withDescription("Name the key: letters, digits, dots, dashes and underscores"),
  asName
)

/** The admin API shows and takes limits up to this. */
const atMost = Flag.filter(
  (value: number) => value <= 1_000_000,
  () => "1000000 or less"
)

const limit = (flag: string, what: string, least: number) =>
  Flag.Int(flag).pipe(
    Flag.withDescription(`Limit the key to this many ${what} (default: no limit)`),
    atLeast(least),
    atMost,
    Flag.optional
  )

const create = Command.make(
  "create",
  {
    name,
    ...from,
    scopes: Flag.Literals("scope", keyScopes).pipe(
      Flag.withDescription("Allow the key to do this; repeatable (default: all but admin)"),
      Flag.atLeast(0)
    ),
    limits: {
      runs: limit("max-runs", "runs at once", 0),
      browsers: limit("max-browsers", "browsers at once", 0),
      requestsPerMinute: limit("requests-per-minute", "requests per minute", 1),
      usdPerDay: Flag.Finite("usd-per-day").pipe(
        Flag.withDescription("Refuse new runs once this many USD are spent in a day, by UTC (default: no limit)"),
        atLeast(0),
        atMost,
        Flag.optional
      ),
      fileMegabytes: limit("max-file-mb", "megabytes of stored files", 0),
      fileDays: Flag.Int("keep-files-days").pipe(
        Flag.withDescription("Keep the key's files this many days after their last change (default: as the server)"),
        atLeast(1),
        atMost,
        Flag.optional
      )
    }
  },
  ({ limits, name, scopes, ...from }) =>
    within(
      from,
      Effect.gen(function* () {
        const records = yield* Records
        const allowed: ReadonlyArray<KeyScope> = scopes.length === 0 ? defaultKeyScopes : [...new Set(scopes)]
        const secret = yield* Effect.catchTag(
          records.createKey({ name, scopes: allowed, limits: Record.map(limits, Option.getOrNull) }),
          "KeyNameTaken",
          () => Effect.fail(usage(`A key named ${name} exists. Revoke it first, or choose another name.`))
        )
        yield* Console.error(`Created the key ${name}. It is shown only now: keep it in a safe place.`)
        yield* Console.log(Redacted.value(secret))
      }),
      // the keys may be the first records of a new file
      layerDatabase
    )
).pipe(Command.withDescription("Create an API key, and print it once"))

const date = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 16).replace("T", " ")

const line = ({ createdAt_ms, lastUsedAt_ms, limits, name, prefix, revokedAt_ms, scopes }: ListedKey) => {
  const most = [
    ["runs", limits.runs],
    ["browsers", limits.browsers],
    ["requests/minute", limits.requestsPerMinute],
    ["USD/day", limits.usdPerDay],
    ["MB of files", limits.fileMegabytes ?? null],
    ["days of files", limits.fileDays ?? null]
  ].flatMap(([what, count]) => (count === null ? [] : [`${count} ${what}`]))
  return [
    name,
    `${prefix}...`,
    scopes.join(","),
    most.length === 0 ? "no limits" : most.join(", "),
    `created ${date(createdAt_ms)}`,
    ...(lastUsedAt_ms === null ? [] : [`last used ${date(lastUsedAt_ms)}`]),
    ...(revokedAt_ms === null ? [] : [`revoked ${date(revokedAt_ms)}`])
  ].join("  ")
}

const list = Command.make("list", from, (from) =>
  within(
    from,
    Effect.gen(function* () {
      const { flag, keys, name } = yield* Records
      const all = yield* keys
      if (all.length === 0) {
        return yield* Console.error(`${name} has no keys. Create one: ${program} keys create ${flag} --name NAME`)
      }
      yield* print(all.map(line))
    })
  )
).pipe(Command.withDescription("List the API keys: name, beginning, scopes, limits and dates"))

const stop = Flag.Boolean("stop").pipe(
  Flag.withDescription("Cancel the key's runs and stop its browsers, on all servers"),
  Flag.withDefault(false)
)

const count = (of: number, what: string) => `${of} ${what}${of === 1 ? "" : "s"}`

/** Cancels the runs and stops the browsers of a revoked key. */
const stopAll = Effect.fnUntraced(function* (name: string) {
  const { browsers, isComplete, runs } = yield* Records.use(({ stopOwned }) => stopOwned(name))
  yield* Console.log(`Cancelled ${count(runs, "run")} and stopped ${count(browsers, "browser")} of the key ${name}.`)
  if (isComplete) return
  yield* usage(`The key ${name} has more of them. Run the same command again.`)
})

const revoke = Command.make("revoke", { name, ...from, stop }, ({ name, stop, ...from }) =>
  within(
    from,
    Effect.gen(function* () {
      const records = yield* Records
      const outcome = yield* records.revokeKey(name)
      if (outcome === "unknown" || (outcome === "already" && !stop)) {
        return yield* usage(`No key is named ${name}. List them: ${program} keys list ${records.flag}`)
      }
      yield* Console.log(
        outcome === "already"
          ? `The key ${name} is revoked already.`
          : `Revoked the key ${name}. The next request with it is refused, and links to its browsers close within about a second.`
      )
      if (stop) yield* stopAll(name)
    })
  )
).pipe(Command.withDescription("Revoke an API key immediately, even while a server is running"))

/** `keys create`, `keys list`, `keys revoke`. */
export const keys = Command.make("keys").pipe(
  Command.withDescription("Manage the API keys in a database or a server"),
  Command.withSubcommands([create, list, revoke])
)
