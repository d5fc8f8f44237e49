import * as Settings from "@webagent/cli/Settings"
import * as Command from "effect/cli/Command"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Durable from "./durable.ts"
import { serveFlags, type ServeFlags } from "./serve.ts"
import { renamed, serveFields } from "./settings.ts"
import { settingsInForce } from "./settingsInForce.ts"

/** Settings that the server reads each time it uses them, so that a reload can change them. */
const reloadable = new Set([
  "keepDays",
  "keepRuns",
  "keepFilesDays",
  "allowPrivate",
  "allowPrivateWebhooks",
  "allowDomains",
  "secrets",
  "approvals",
  "maxSteps",
  "maxFailedSteps",
  "maxRepeatedSteps",
  "maxRunTime",
  "maxRunCost"
])

/** Reads the arguments of this process again, with the configuration file as it is now. */
const readAgain = Effect.suspend(() => {
  let flags: ServeFlags | undefined
  const serve = Command.make("serve", serveFlags, (given) => Effect.sync(() => void (flags = given)))
  const root = Command.make("webagent-server").pipe(Command.withSubcommands([serve]))
  // the provider of the start has the values of the file as it was
  const settings = Layer.provideMerge(
    Settings.layerFile({ serve: serveFields }, "serve", renamed),
    ConfigProvider.layer(ConfigProvider.fromEnv())
  )
  return Effect.map(Effect.provide(Command.run(root, { version: "", renderErrors: false }), settings), () => flags)
})

/** Loaded for real browsers only, as at the start. */
const loadedEgress = Effect.map(
  Effect.promise(() => import("@webagent/chromium")),
  ({ Egress }) => Egress
)

/** Sets the reloadable settings in place, because the parts of the server keep the objects that they were made with. */
const apply = (options: Durable.DurableOptions, next: Durable.DurableOptions): void => {
  const { agent, chromium, files, retention, settings } = options
  Object.assign(retention, next.retention)
  Object.assign(files, { keep_ms: next.files.keep_ms })
  Object.assign(options, { allowPrivateWebhooks: next.allowPrivateWebhooks })
  Object.assign(chromium.egress, { allowPrivate: next.chromium.egress.allowPrivate })
  if (agent !== undefined && next.agent !== undefined) {
    const { approvals, domains, limits, secrets } = next.agent
    Object.assign(agent, { approvals, domains, limits, secrets })
  }
  for (const setting of settings) {
    if (!reloadable.has(setting.name)) continue
    Object.assign(setting, { value: next.settings.find(({ name }) => name === setting.name)?.value ?? null })
  }
}

const reasonOf = (error: unknown): string => {
  const errors = Predicate.hasProperty(error, "errors") && Array.isArray(error.errors) ? error.errors : [error]
  return errors.map((one) => (one instanceof Error ? one.message : String(one))).join(" ")
}

/** True if a server has a file that it can read again, such as the profile key next to a database file. */
export const hasFiles = (
  { agent, chromium, config }: ServeFlags,
  { data, profileKeys }: Pick<Durable.DurableOptions, "data" | "profileKeys">
): boolean =>
  config._tag === "Some" ||
  process.env[Settings.variableOf("config")] !== undefined ||
  agent.secrets !== undefined ||
  agent.approvals !== undefined ||
  chromium.profileKeyFile !== undefined ||
  (profileKeys !== undefined && profileKeys.keys === undefined && data._tag === "File")

/**
 * Reads the configuration file, the secrets, the approval rules and the profile keys again, and uses the settings that can
 * change without a restart. The log names those that can't. A mistake leaves all settings as they are.
 */
export const reload = <E, R>(
  options: Durable.DurableOptions,
  resolve: (flags: ServeFlags) => Effect.Effect<Durable.DurableOptions, E, R>
) =>
  Effect.gen(function* () {
    const flags = yield* readAgain
    if (flags === undefined) return
    const next = yield* resolve(flags)
    if (next.browsers !== "simulated") yield* (yield* loadedEgress).check(next.chromium.egress)
    const exchangeKeys = yield* options.profileKeys?.again ?? Effect.succeed(Effect.succeed(false))
    const current = new Map(options.settings.map(({ name, value }) => [name, value]))
    const changed = settingsInForce(flags).filter(({ name, value }) => current.get(name) !== value)
    const names = changed.map(({ name }) => name)
    const hasNewRules = !Equal.equals(options.agent?.approvals, next.agent?.approvals)
    apply(options, next)
    const hasNewKeys = yield* exchangeKeys
    const applied = names.filter((name) => reloadable.has(name))
    const waiting = names.filter((name) => !reloadable.has(name))
    const parts = [
      applied.length === 0 ? "no setting changed" : `changed ${applied.join(", ")}`,
      ...(options.agent?.secrets === undefined || flags.agent.secrets === undefined ? [] : ["read the secrets again"]),
      ...(hasNewRules ? ["read the approval rules again"] : []),
      ...(hasNewKeys ? ["encrypted the profiles with the new profile key"] : []),
      ...(waiting.length === 0 ? [] : [`restart the server to change ${waiting.join(", ")}`])
    ]
    yield* Effect.logInfo(`Reloaded after SIGHUP: ${parts.join("; ")}`)
  }).pipe(
    Effect.catchCause((cause) => {
      const [reason] = cause.reasons
      const error = reason === undefined || !("error" in reason) ? cause : reason.error
      return Effect.logError(`Could not reload after SIGHUP, so every setting stays as it is. ${reasonOf(error)}`)
    })
  )
