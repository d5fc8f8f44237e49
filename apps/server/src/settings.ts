import { ModelConfig } from "@webagent/agent/options"
import { spanFromText } from "@webagent/simulation"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Flag from "effect/cli/Flag"
import { costFromText, domainsFromText, modelFromText, priceFromText } from "./agent.ts"
import { dataOf } from "./data.ts"
import { UserError } from "./UserError.ts"

/** The settings that an environment variable or a configuration file can set, as a configuration file spells them. */
const settings = [
  "port",
  "host",
  "allowHost",
  "apiKey",
  "data",
  "node",
  "advertise",
  "durable",
  "keepDays",
  "keepRuns",
  "drainWithin",
  "browsers",
  "isolation",
  "maxBrowsers",
  "allowPrivate",
  "countryProxies",
  "model",
  "modelUrl",
  "modelPrice",
  "modelSees",
  "fallbackModel",
  "fallbackUrl",
  "fallbackPrice",
  "stepPictures",
  "judge",
  "allowDomains",
  "secrets",
  "maxSteps",
  "maxRunTime",
  "maxRunCost",
  "log",
  "seed",
  "turnDuration"
] as const

/** The environment variable of a setting: that of `drainWithin` is `WEBAGENT_SERVER_DRAIN_WITHIN`. */
const variable = (setting: string) => `WEBAGENT_SERVER_${setting.replaceAll(/[A-Z]/gu, "_$&").toUpperCase()}`

/** A flag that is not given has the value of the environment variable, else that of the configuration file. */
const or =
  <B>(setting: (typeof settings)[number], config: (name: string) => Config.Config<B>) =>
  <A>(flag: Flag.Flag<A>) =>
    Flag.withFallbackConfig(flag, config(variable(setting)))

const span = Flag.filterMap(spanFromText, () => "a time such as 200ms, 2s or 1m")
const notNegative = Flag.filter(
  (count: number) => count >= 0,
  () => "0 or more"
)

const list = (text: string) => text.split(",").map((one) => one.trim())

/** Where the database of a server is that is told none. */
export const defaultFile = ".webagent/server.db"

const database = Flag.String("data").pipe(
  or("data", Config.NonEmptyString),
  // SQLite's name for a database that is no file, and that two connections do not share
  Flag.filter(
    (text) => text !== ":memory:",
    () => "a file or a postgres:// address; a simulated server without --data keeps everything in memory"
  ),
  Flag.map(dataOf)
)

/** The database of a command that needs one. */
export const data = database.pipe(
  Flag.withDescription(`Use a database: a FILE or a postgres:// address (default: ${defaultFile})`),
  Flag.withDefault(dataOf(defaultFile))
)

/** What is kept where nothing else is said. */
export const defaultKeep = { days: 30, runs: 1_000_000 }

const keepDays = Flag.Finite("keep-days").pipe(
  Flag.withDescription("Keep ended runs and stopped browsers this many days (default: 30)"),
  or("keepDays", Config.Finite),
  notNegative
)
const keepRuns = Flag.Int("keep-runs").pipe(
  Flag.withDescription("Keep at most this many ended runs, the newest (default: 1000000)"),
  or("keepRuns", Config.Int),
  notNegative
)

/** What is kept of what is over. */
export const retention = {
  keepDays: Flag.withDefault(keepDays, defaultKeep.days),
  keepRuns: Flag.withDefault(keepRuns, defaultKeep.runs)
}

/** The proxy of each country. */
const countriesFromText = (text: string): Option.Option<Readonly<Record<string, string>>> => {
  const pairs = text.split(",").map((pair) => /^\s*([A-Za-z]{2})=(\S+)\s*$/u.exec(pair))
  return pairs.every((pair) => pair !== null)
    ? Option.some(Object.fromEntries(pairs.map(([, country = "", url = ""]) => [country, url])))
    : Option.none()
}

const asModel = Flag.filterMap(
  modelFromText,
  () => `DIALECT:NAME, such as openai:NAME; a dialect is one of ${ModelConfig.dialects.join(", ")}`
)
const asAddress = (example: string) =>
  Flag.filter(
    (text: string) => /^https?:$/u.test(URL.parse(text)?.protocol ?? ""),
    () => `an address such as ${example}`
  )
const asPrice = Flag.filterMap(priceFromText, () => "prices such as input=3,output=15,cacheRead=0.3,cacheWrite=3.75")

/** The flags of a real agent. */
export const model = {
  model: Flag.String("model").pipe(
    Flag.withDescription("Carry out runs with a model, as DIALECT:NAME; its key is WEBAGENT_MODEL_KEY (default: none)"),
    or("model", Config.NonEmptyString),
    asModel,
    Flag.optional
  ),
  modelUrl: Flag.String("model-url").pipe(
    Flag.withDescription("Ask the model at an address such as http://127.0.0.1:11434/v1 (default: the vendor's)"),
    or("modelUrl", Config.NonEmptyString),
    asAddress("http://127.0.0.1:11434/v1"),
    Flag.optional
  ),
  modelPrice: Flag.String("model-price").pipe(
    Flag.withDescription("Prices in USD for a million tokens: input=3,output=15,cacheRead=0.3 (default: unknown)"),
    or("modelPrice", Config.NonEmptyString),
    asPrice,
    Flag.optional
  ),
  fallbackModel: Flag.String("fallback-model").pipe(
    Flag.withDescription("Ask this one when the model fails; its key is WEBAGENT_FALLBACK_KEY (default: none)"),
    or("fallbackModel", Config.NonEmptyString),
    asModel,
    Flag.optional
  ),
  fallbackUrl: Flag.String("fallback-url").pipe(
    Flag.withDescription("Ask the fallback model at an address (default: the vendor's)"),
    or("fallbackUrl", Config.NonEmptyString),
    asAddress("http://127.0.0.1:11434/v1"),
    Flag.optional
  ),
  fallbackPrice: Flag.String("fallback-price").pipe(
    Flag.withDescription("Prices of the fallback model, as --model-price (default: unknown)"),
    or("fallbackPrice", Config.NonEmptyString),
    asPrice,
    Flag.optional
  ),
  modelSees: Flag.Boolean("model-sees").pipe(
    Flag.withDescription("Send the model a picture of the page with each step (default: text only)"),
    or("modelSees", Config.Boolean),
    Flag.optional
  ),
  stepPictures: Flag.Boolean("step-pictures").pipe(
    Flag.withDescription("Keep a picture of the page with each step of a run (default: on)"),
    or("stepPictures", Config.Boolean),
    Flag.optional
  ),
  judge: Flag.Boolean("judge").pipe(
    Flag.withDescription("Have the model judge each completed run in one more call (default: off)"),
    or("judge", Config.Boolean),
    Flag.optional
  ),
  allowDomains: Flag.String("allow-domains").pipe(
    Flag.withDescription("Let runs open these hosts only: example.com,*.example.com (default: all)"),
    or("allowDomains", Config.NonEmptyString),
    Flag.filterMap(domainsFromText, () => "hosts such as example.com,*.example.com,127.0.0.1:8080"),
    Flag.optional
  ),
  secrets: Flag.String("secrets").pipe(
    Flag.withDescription("Let runs type the secrets of a JSON FILE, which the model never sees (default: none)"),
    or("secrets", Config.NonEmptyString),
    Flag.optional
  ),
  maxSteps: Flag.Int("max-steps").pipe(
    Flag.withDescription("End a run after this many steps (default: 50)"),
    or("maxSteps", Config.Int),
    Flag.filter(
      (count) => count >= 1,
      () => "1 or more"
    ),
    Flag.optional
  ),
  maxRunTime: Flag.String("max-run-time").pipe(
    Flag.withDescription("End a run after this time (default: 30m)"),
    or("maxRunTime", Config.NonEmptyString),
    span,
    Flag.filter(Duration.isPositive, () => "more than 0"),
    Flag.optional
  ),
  maxRunCost: Flag.String("max-run-cost").pipe(
    Flag.withDescription("End a run that has cost this many USD; needs --model-price (default: no limit)"),
    or("maxRunCost", Config.NonEmptyString),
    Flag.filterMap(costFromText, () => "an amount in USD such as 0.50"),
    Flag.optional
  )
}

/** The flags of a server, without those of the simulation. */
export const server = {
  // read before the others, whose fallback it is: see `layerConfigFile`
  config: Flag.String("config").pipe(
    Flag.withDescription("Read settings from a JSON FILE (default: WEBAGENT_SERVER_CONFIG, else none)"),
    Flag.optional
  ),
  port: Flag.Int("port").pipe(
    Flag.withDescription("Listen on a port; 0 is any free port (default: 8080)"),
    or("port", Config.Int),
    Flag.withDefault(8080),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    )
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription("Listen on an address (default: 127.0.0.1, this machine only)"),
    or("host", Config.NonEmptyString),
    Flag.withDefault("127.0.0.1")
  ),
  allowHost: Flag.String("allow-host").pipe(
    Flag.withDescription("Accept these names for browsers' links, as a proxy in front sends them (default: none)"),
    or("allowHost", Config.NonEmptyString),
    Flag.map(list),
    Flag.optional
  ),
  apiKeys: Flag.String("api-key").pipe(
    Flag.withDescription("Accept an API key; repeatable (default: WEBAGENT_SERVER_API_KEY, else new)"),
    Flag.filter(
      (key) => key.trim() !== "",
      () => "a key that is not empty"
    ),
    Flag.atLeast(0)
  ),
  data: database.pipe(
    Flag.withDescription(
      `Keep everything in a database FILE, or at a postgres:// address (default: in memory, or ${defaultFile} with real browsers)`
    ),
    Flag.optional
  ),
  node: Flag.String("node").pipe(
    Flag.withDescription("Call this server NAME among those that share its database (default: the machine's name)"),
    or("node", Config.NonEmptyString),
    Flag.filter(
      (text) => /^[A-Za-z0-9][\w.-]{0,63}$/u.test(text),
      () => "1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit"
    ),
    Flag.optional
  ),
  advertise: Flag.String("advertise").pipe(
    Flag.withDescription("Have the other nodes reach this one at a URL, with --data postgres:// (default: its own)"),
    or("advertise", Config.NonEmptyString),
    asAddress("http://10.0.0.5:8080"),
    Flag.map((text) => new URL(text).origin),
    Flag.optional
  ),
  durable: Flag.Literals("durable", ["normal", "full"]).pipe(
    Flag.withDescription("With full, commits to a file survive a power cut too, and take longer (default: normal)"),
    or("durable", (name) => Config.Literals(["normal", "full"], name)),
    Flag.optional
  ),
  keepDays: Flag.optional(keepDays),
  keepRuns: Flag.optional(keepRuns),
  drainWithin: Flag.String("drain-within").pipe(
    Flag.withDescription("Wait this long for running runs when stopped, with --data (default: 30s)"),
    or("drainWithin", Config.NonEmptyString),
    span,
    Flag.optional
  ),
  browsers: Flag.Literals("browsers", ["simulated", "chromium", "auto"]).pipe(
    Flag.withDescription(
      "Serve these; auto: chromium if it can be had (default: chromium with --model, else simulated)"
    ),
    or("browsers", (name) => Config.Literals(["simulated", "chromium", "auto"], name)),
    Flag.optional
  ),
  isolation: Flag.Literals("isolation", ["namespaces", "chromium", "none"]).pipe(
    Flag.withDescription("Refuse to start Chromium with less isolation (default: chromium)"),
    or("isolation", (name) => Config.Literals(["namespaces", "chromium", "none"], name)),
    Flag.optional
  ),
  maxBrowsers: Flag.Int("max-browsers").pipe(
    Flag.withDescription("Run at most this many browsers at once (default: by memory and cores)"),
    or("maxBrowsers", Config.Int),
    Flag.filter(
      (count) => count >= 1,
      () => "1 or more"
    ),
    Flag.optional
  ),
  allowPrivate: Flag.String("allow-private").pipe(
    Flag.withDescription("Let browsers reach private addresses: 10.0.0.5,10.0.0.6:8080 (default: none)"),
    or("allowPrivate", Config.NonEmptyString),
    Flag.map(list),
    Flag.optional
  ),
  countryProxies: Flag.String("country-proxies").pipe(
    Flag.withDescription("Use these proxies for proxyCountryCode, as CC=URL,CC=URL (default: none)"),
    or("countryProxies", Config.NonEmptyString),
    Flag.filterMap(countriesFromText, () => "proxies such as de=http://user:password@host:8080,fr=http://host:3128"),
    Flag.optional
  ),
  ...model,
  log: Flag.Literals("log", ["text", "json"]).pipe(
    Flag.withDescription("Write the log as text or as a JSON object a line (default: text)"),
    or("log", (name) => Config.Literals(["text", "json"], name)),
    Flag.withDefault("text" as const)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Derive ids, outcomes, durations and costs from a seed (default: 1)"),
    or("seed", Config.Int),
    Flag.withDefault(1)
  ),
  turnDuration: Flag.String("turn-duration").pipe(
    Flag.withDescription("Set how long a turn takes, such as 200ms or 2s (default: about 150ms)"),
    or("turnDuration", Config.NonEmptyString),
    span,
    Flag.optional
  )
}

/** The key of a server that is given none. */
export const apiKey = Config.option(Config.NonEmptyString(variable("apiKey")))

const parse = (path: string, text: string): Result.Result<Record<string, unknown>, UserError> => {
  const wrong = (problem: string) => Result.fail(new UserError({ sentence: `${path}: ${problem}` }))
  const json = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return wrong('must be a JSON object such as { "port": 8080 }.')
  }
  const unknown = Object.keys(json).find((name) => !settings.some((known) => known === name))
  return unknown === undefined
    ? Result.succeed(Object.fromEntries(Object.entries(json).map(([name, value]) => [variable(name), value])))
    : wrong(`unknown setting "${unknown}". Use one of ${settings.join(", ")}.`)
}

/** The value of `--config`, before flags are parsed: it says what those are that are not given. */
const configFlag = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findIndex((arg) => arg === "--config" || arg.startsWith("--config="))
  return at === -1 ? undefined : (/^--config=(.*)$/su.exec(args[at] ?? "")?.[1] ?? args[at + 1])
}

/** The configuration file, behind the environment. */
export const layerConfigFile = (args: ReadonlyArray<string>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const path =
        configFlag(args) ?? Option.getOrUndefined(yield* Config.option(Config.NonEmptyString(variable("config"))))
      if (path === undefined) return Layer.empty
      const files = yield* FileSystem.FileSystem
      const text = yield* Effect.mapError(
        files.readFileString(path),
        () => new UserError({ sentence: `--config: cannot read file ${path}. Check the path and its permissions.` })
      )
      return ConfigProvider.layerAdd(ConfigProvider.fromUnknown(yield* Effect.fromResult(parse(path, text))))
    })
  )
