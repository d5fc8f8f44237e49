import { ModelConfig } from "@webagent/agent/options"
import { Origin, TrustedProxies } from "@webagent/server"
import { Languages } from "@webagent/engine"
import { spanFromText } from "@webagent/simulation"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Flag from "effect/cli/Flag"
import { costFromText, domainsFromText, modelFromText, priceFromText } from "./agent.ts"
import { dataOf } from "./data.ts"
import { type UserError, usage } from "@webagent/cli/UserError"

/** The settings that an environment variable or a configuration file can set, as a configuration file spells them. */
const settings = [
  "port",
  "host",
  "allowHost",
  "publicUrl",
  "trustProxy",
  "apiKey",
  "data",
  "node",
  "advertise",
  "durable",
  "sqliteLogLimit",
  "keepDays",
  "keepRuns",
  "drainWithin",
  "browsers",
  "isolation",
  "browserLanguages",
  "maxBrowsers",
  "maxBrowsersPerKey",
  "allowPrivate",
  "countryProxies",
  "model",
  "modelUrl",
  "modelPrice",
  "modelTimeout",
  "modelRetryFor",
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

type Setting = (typeof settings)[number]

/** The environment variable of a setting: that of `drainWithin` is `WEBAGENT_SERVER_DRAIN_WITHIN`. */
const variable = (setting: string) => `WEBAGENT_SERVER_${setting.replaceAll(/[A-Z]/gu, "_$&").toUpperCase()}`

/** The flag of a setting: that of `drainWithin` is `--drain-within`. */
export const flagOf = (setting: string) => `--${setting.replaceAll(/[A-Z]/gu, "-$&").toLowerCase()}`

/** A flag that is not given has the value of the environment variable, else that of the configuration file. */
const or =
  <B>(setting: Setting, config: (name: string) => Config.Config<B>) =>
  <A>(flag: Flag.Flag<A>) =>
    Flag.withFallbackConfig(flag, config(variable(setting)))

/** Makes the flags of settings of one type. */
const settingOf =
  <A>(make: (name: string) => Flag.Flag<A>, config: (name: string) => Config.Config<A>) =>
  (setting: Setting, description: string) =>
    make(flagOf(setting).slice(2)).pipe(Flag.withDescription(description), or(setting, config))

const text = settingOf(Flag.String, Config.NonEmptyString)
const int = settingOf(Flag.Int, Config.Int)
const finite = settingOf(Flag.Finite, Config.Finite)
const boolean = settingOf(Flag.Boolean, Config.Boolean)
const oneOf = <const Choices extends ReadonlyArray<string>>(choices: Choices) =>
  settingOf(
    (name) => Flag.Literals(name, choices),
    (name) => Config.Literals(choices, name)
  )

const span = Flag.filterMap(spanFromText, () => "a time such as 200ms, 2s or 1m")
const moreThanZero = Flag.filter(Duration.isPositive, () => "more than 0")
export const notNegative = Flag.filter(
  (count: number) => count >= 0,
  () => "0 or more"
)
const positive = Flag.filter(
  (count: number) => count >= 1,
  () => "1 or more"
)

/** The name of a node or a key. */
export const asName = Flag.filter(
  (text: string) => /^[A-Za-z0-9][\w.-]{0,63}$/u.test(text),
  () => "1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit"
)

const list = (text: string) => text.split(",").map((one) => one.trim())

/** Default location of a server's database. */
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

/** Default retention. */
export const defaultKeep = { days: 30, runs: 1_000_000 }

const keepDays = finite("keepDays", "Keep ended runs and stopped browsers this many days (default: 30)").pipe(
  notNegative
)
const keepRuns = int("keepRuns", "Keep at most this many ended runs, the newest (default: 1000000)").pipe(notNegative)

/** Retention of finished runs and stopped browsers. */
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
  model: text(
    "model",
    "Carry out runs with a model, as DIALECT:NAME; its key is WEBAGENT_MODEL_KEY (default: none)"
  ).pipe(asModel, Flag.optional),
  modelUrl: text(
    "modelUrl",
    "Ask the model at an address such as http://127.0.0.1:11434/v1 (default: the vendor's)"
  ).pipe(asAddress("http://127.0.0.1:11434/v1"), Flag.optional),
  modelPrice: text(
    "modelPrice",
    "Prices in USD for a million tokens: input=3,output=15,cacheRead=0.3 (default: unknown)"
  ).pipe(asPrice, Flag.optional),
  fallbackModel: text(
    "fallbackModel",
    "Ask this one when the model fails; its key is WEBAGENT_FALLBACK_KEY (default: none)"
  ).pipe(asModel, Flag.optional),
  fallbackUrl: text("fallbackUrl", "Ask the fallback model at an address (default: the vendor's)").pipe(
    asAddress("http://127.0.0.1:11434/v1"),
    Flag.optional
  ),
  fallbackPrice: text("fallbackPrice", "Prices of the fallback model, as --model-price (default: unknown)").pipe(
    asPrice,
    Flag.optional
  ),
  modelTimeout: text(
    "modelTimeout",
    "Stop waiting for a response of the model after this time, such as 20m (default: 10m)"
  ).pipe(span, moreThanZero, Flag.optional),
  modelRetryFor: text(
    "modelRetryFor",
    "Retry a failing request to the model for this long; 0s doesn't retry (default: 5m, 10s with --fallback-model)"
  ).pipe(span, Flag.optional),
  modelSees: Flag.optional(
    boolean("modelSees", "Send the model a picture of the page with each step (default: text only)")
  ),
  stepPictures: Flag.optional(
    boolean("stepPictures", "Keep a picture of the page with each step of a run (default: on)")
  ),
  judge: Flag.optional(boolean("judge", "Have the model judge each completed run in one more call (default: off)")),
  allowDomains: text("allowDomains", "Let runs open these hosts only: example.com,*.example.com (default: all)").pipe(
    Flag.filterMap(domainsFromText, () => "hosts such as example.com,*.example.com,127.0.0.1:8080"),
    Flag.optional
  ),
  secrets: Flag.optional(
    text("secrets", "Let runs type the secrets of a JSON FILE, which the model never sees (default: none)")
  ),
  maxSteps: int("maxSteps", "End a run after this many steps (default: 50)").pipe(positive, Flag.optional),
  maxRunTime: text("maxRunTime", "End a run after this time (default: 30m)").pipe(span, moreThanZero, Flag.optional),
  maxRunCost: text("maxRunCost", "End a run that has cost this many USD; needs --model-price (default: no limit)").pipe(
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
  port: int("port", "Listen on a port; 0 is any free port (default: 8080)").pipe(
    Flag.withDefault(8080),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    )
  ),
  host: text("host", "Listen on an address (default: 127.0.0.1, this machine only)").pipe(
    Flag.withDefault("127.0.0.1")
  ),
  allowHost: text(
    "allowHost",
    "Accept these names for browsers' links, as a proxy in front sends them (default: none)"
  ).pipe(Flag.map(list), Flag.optional),
  publicUrl: text("publicUrl", "Start all links with a URL such as https://agent.example (default: as requested)").pipe(
    Flag.filterMap(
      Origin.publicUrlOf,
      () => "an http or https address without user, query and hash, such as https://agent.example"
    ),
    Flag.optional
  ),
  trustProxy: text(
    "trustProxy",
    "Use forwarded headers from these addresses only: 10.0.0.5,10.1.0.0/16 (default: none)"
  ).pipe(
    Flag.map(list),
    Flag.filter(
      (texts) => Result.isSuccess(TrustedProxies.fromTexts(texts)),
      () => "addresses and networks such as 10.0.0.5,10.1.0.0/16"
    ),
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
  node: text("node", "Call this server NAME among those that share its database (default: the machine's name)").pipe(
    asName,
    Flag.optional
  ),
  advertise: text(
    "advertise",
    "Have the other nodes reach this one at a URL, with --data postgres:// (default: its own)"
  ).pipe(
    asAddress("http://10.0.0.5:8080"),
    Flag.map((text) => new URL(text).origin),
    Flag.optional
  ),
  durable: Flag.optional(
    oneOf(["normal", "full"])(
      "durable",
      "With full, commits to a file survive a power cut too, and take longer (default: normal)"
    )
  ),
  sqliteLogLimit: int(
    "sqliteLogLimit",
    "Pause writes to checkpoint when SQLite's write-ahead log exceeds this many MB (default: 64)"
  ).pipe(positive, Flag.optional),
  keepDays: Flag.optional(keepDays),
  keepRuns: Flag.optional(keepRuns),
  drainWithin: text("drainWithin", "Wait this long for running runs when stopped, with --data (default: 30s)").pipe(
    span,
    Flag.optional
  ),
  browsers: Flag.optional(
    oneOf(["simulated", "chromium", "auto"])(
      "browsers",
      "Serve these; auto: chromium if it can be had (default: chromium with --model, else simulated)"
    )
  ),
  isolation: Flag.optional(
    oneOf(["namespaces", "chromium", "none"])(
      "isolation",
      "Refuse to start Chromium with less isolation (default: namespaces)"
    )
  ),
  browserLanguages: text(
    "browserLanguages",
    "Announce these languages to pages, the preferred one first: de-DE,de,en (default: en-US,en)"
  ).pipe(
    Flag.filterMap(
      (tags) => Languages.read(list(tags)),
      () => "1 to 10 BCP 47 language tags such as de-DE,de,en"
    ),
    Flag.optional
  ),
  maxBrowsers: int("maxBrowsers", "Run at most this many browsers at once (default: by memory and cores)").pipe(
    positive,
    Flag.optional
  ),
  maxBrowsersPerKey: int(
    "maxBrowsersPerKey",
    "Let one API key use at most this many while other keys are in use (default: 3/4 of --max-browsers)"
  ).pipe(positive, Flag.optional),
  allowPrivate: text(
    "allowPrivate",
    "Let browsers reach private addresses: 10.0.0.5,10.0.0.6:8080 (default: none)"
  ).pipe(Flag.map(list), Flag.optional),
  countryProxies: text(
    "countryProxies",
    "Use these proxies for proxyCountryCode, as CC=URL,CC=URL (default: none)"
  ).pipe(
    Flag.filterMap(countriesFromText, () => "proxies such as de=http://user:password@host:8080,fr=http://host:3128"),
    Flag.optional
  ),
  ...model,
  log: oneOf(["text", "json"])("log", "Write the log as text or as a JSON object a line (default: text)").pipe(
    Flag.withDefault("text" as const)
  ),
  seed: int("seed", "Derive ids, outcomes, durations and costs from a seed (default: 1)").pipe(Flag.withDefault(1)),
  turnDuration: text("turnDuration", "Set how long a turn takes, such as 200ms or 2s (default: about 150ms)").pipe(
    span,
    Flag.optional
  )
}

/** The key of a server that is given none. */
export const apiKey = Config.option(Config.NonEmptyString(variable("apiKey")))

const parse = (path: string, text: string): Result.Result<Record<string, unknown>, UserError> => {
  const wrong = (problem: string) => Result.fail(usage(`${path}: ${problem}`))
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
export const layerConfigFile = Layer.unwrap(
  Effect.gen(function* () {
    const { args } = yield* Stdio.Stdio
    const path =
      configFlag(yield* args) ?? Option.getOrUndefined(yield* Config.option(Config.NonEmptyString(variable("config"))))
    if (path === undefined) return Layer.empty
    const files = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(files.readFileString(path), () =>
      usage(`--config: cannot read file ${path}. Check the path and its permissions.`)
    )
    return ConfigProvider.layerAdd(ConfigProvider.fromUnknown(yield* Effect.fromResult(parse(path, text))))
  })
)
