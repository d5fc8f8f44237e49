import * as CliFlags from "@webagent/cli/Flags"
import * as Settings from "@webagent/cli/Settings"
import * as Span from "@webagent/cli/Span"
import { ModelConfig } from "@webagent/agent/options"
import { Languages } from "@webagent/engine"
import { list, listenSettings } from "@webagent/server/ListenSettings"
import * as Duration from "effect/Duration"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { costFromText, domainsFromText, modelFromText, priceFromText } from "./modelTexts.ts"
import { dataOf } from "./data.ts"

const span = Flag.filterMap(Span.parse, () => "a time such as 200ms, 2s or 1m")
const moreThanZero = Flag.filter(Duration.isPositive, () => "more than 0")
const positiveSpan = (flag: Flag.Flag<string>) => flag.pipe(span, moreThanZero)

/** The name of a node or a key. */
export const asName = Flag.filter(
  (text: string) => /^[A-Za-z0-9][\w.-]{0,63}$/u.test(text),
  () => "1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit"
)

/** Default location of a server's database. */
export const defaultFile = ".webagent/server.db"

const database = Settings.withDefault(
  Settings.text(`Use a database: a FILE or a postgres:// address (default: ${defaultFile})`, (flag) =>
    flag.pipe(
      // SQLite's name for a database that is no file, and that two connections do not share
      Flag.filter(
        (text) => text !== ":memory:",
        () => "a file or a postgres:// address; the command simulate keeps everything in memory"
      ),
      Flag.map(dataOf)
    )
  ),
  dataOf(defaultFile)
)

/** The database of every command that uses one. */
export const { data } = Settings.flags({ data: database })

/** Retention of finished runs and stopped browsers. */
export const retention = {
  keepDays: Settings.withDefault(
    Settings.finite("Keep finished runs and stopped browsers for this many days (default: 30)", CliFlags.atLeast(0)),
    30
  ),
  keepRuns: Settings.withDefault(
    Settings.int("Keep at most this many finished runs, the newest (default: 1000000)", CliFlags.atLeast(0)),
    1_000_000
  )
}

const megabytes = (description: string, most: number) =>
  Settings.withDefault(Settings.int(`${description} (default: ${most})`, CliFlags.atLeast(1)), most)

/** The settings of stored files. */
const files = {
  files: Settings.text(
    "Store workspace files in a FOLDER, the same for all servers that share a database (default: files next to a database file, none with postgres://)"
  ),
  fileLimit: megabytes("Store files of at most this many MB", 100),
  workspaceLimit: megabytes("Store at most this many MB per workspace", 1024),
  keyFilesLimit: megabytes("Store at most this many MB of files per API key", 10_240),
  keepFilesDays: Settings.withDefault(
    Settings.finite("Keep files this many days after their last change (default: 30)", CliFlags.atLeast(0)),
    30
  )
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

/** The settings of a node, whatever its database, browsers and agent are. */
const node = {
  ...listenSettings,
  data: database,
  ...retention,
  ...files,
  node: Settings.text("Name this server among those that share its database (default: the machine's name)", asName),
  allowPrivateWebhooks: Settings.boolean(
    "Send webhooks to addresses that aren't public, such as this machine's (default: off)"
  ),
  drainWithin: Settings.withDefault(
    Settings.text("Wait this long for running runs when stopped (default: 30s)", span),
    Duration.seconds(30)
  ),
  browsers: Settings.oneOf(
    ["simulated", "chromium", "auto"],
    "Serve this kind of browser; auto is chromium if it is installed (default: chromium with --model, else simulated)"
  )
}

/** The settings of a database file. */
const file = {
  durable: Settings.oneOf(
    ["normal", "full"],
    "Set the durability of commits to a file: full also survives a power loss, but is slower (default: normal)"
  ),
  sqliteLogLimit: Settings.int(
    "Pause writes to checkpoint when SQLite's write-ahead log exceeds this many MB (default: 64)",
    CliFlags.atLeast(1)
  )
}

/** The settings of a node that shares its database. */
const shared = {
  advertise: Settings.text(
    "Have the other nodes reach this one at a URL, with --data postgres:// (default: its own)",
    (flag) =>
      flag.pipe(
        asAddress("http://10.0.0.5:8080"),
        Flag.map((text) => new URL(text).origin)
      )
  )
}

/** The settings of simulated browsers and their agent. */
const simulated = {
  seed: Settings.int("Derive ids, outcomes, durations and costs from a seed (default: 1)"),
  turnDuration: Settings.text("Set how long a turn takes, such as 200ms or 2s (default: about 150ms)", span)
}

/** The settings of a limited number of browsers. */
const limits = {
  maxBrowsers: Settings.int(
    "Run at most this many browsers at once (default: by memory and cores; no limit for simulated ones)",
    CliFlags.atLeast(1)
  ),
  maxBrowsersPerKey: Settings.int(
    "Let one API key use at most this many while other keys are in use (default: 3/4 of --max-browsers)",
    CliFlags.atLeast(1)
  ),
  browserQueueTimeout: Settings.text(
    "Let a request for a browser wait this long for a free one; 0s refuses it immediately (default: 20s)",
    span
  ),
  runQueueTimeout: Settings.text("Let a run wait this long for a free browser before it fails (default: 5m)", span)
}

/** The settings of real browsers. */
const chromium = {
  minIsolation: Settings.oneOf(
    ["namespaces", "chromium", "none"],
    "Refuse to start Chromium with less isolation (default: namespaces)"
  ),
  browserLanguages: Settings.text(
    "Announce these languages to pages, the preferred one first: de-DE,de,en (default: en-US,en)",
    Flag.filterMap(
      (tags) => Languages.read(list(tags)),
      () => "1 to 10 BCP 47 language tags such as de-DE,de,en"
    )
  ),
  allowPrivate: Settings.text(
    "Let browsers reach private addresses: 10.0.0.5,10.0.0.6:8080 (default: none)",
    Flag.map(list)
  ),
  countryProxies: Settings.text(
    "Use these proxies for proxyCountryCode, as CC=URL,CC=URL (default: none)",
    Flag.filterMap(countriesFromText, () => "proxies such as de=http://user:password@host:8080,fr=http://host:3128")
  ),
  profileKeyFile: Settings.text(
    "Encrypt profiles with the keys in FILE, or in WEBAGENT_PROFILE_KEY (default: profile.key next to a database file)"
  ),
  model: Settings.text(
    "Carry out runs with a model, as DIALECT:NAME; its key is WEBAGENT_MODEL_KEY (default: none)",
    asModel
  )
}

/** The settings of an agent with a model. */
const agent = {
  modelUrl: Settings.text(
    "Use the model at an address such as http://127.0.0.1:11434/v1 (default: the vendor's; with openai-compatible, Ollama's)",
    asAddress("http://127.0.0.1:11434/v1")
  ),
  modelPrice: Settings.text(
    "Prices in USD for a million tokens: input=3,output=15,cacheRead=0.3 (default: unknown)",
    asPrice
  ),
  fallbackModel: Settings.text(
    "Use this model when the first one fails; its key is WEBAGENT_FALLBACK_KEY (default: none)",
    asModel
  ),
  modelTimeout: Settings.text(
    "Stop waiting for a response of the model after this time, such as 20m (default: 10m)",
    positiveSpan
  ),
  modelRetryFor: Settings.text(
    "Retry a failing request to the model for this long; 0s doesn't retry (default: 5m, 10s with --fallback-model)",
    span
  ),
  modelSees: Settings.boolean("Send the model a picture of the page with each step (default: text only)"),
  modelMarks: Settings.boolean("Draw the numbers of elements onto these pictures; needs --model-sees (default: off)"),
  stepPictures: Settings.boolean("Keep a picture of the page with each step of a run (default: on)"),
  models: Settings.text("Let runs choose from the models in a JSON FILE (default: none)"),
  judge: Settings.boolean(
    "Have the model judge each completed run in one more call, unless the run says otherwise (default: off)"
  ),
  allowDomains: Settings.text(
    "Let runs open these hosts only: example.com,*.example.com (default: all)",
    Flag.filterMap(domainsFromText, () => "hosts such as example.com,*.example.com,127.0.0.1:8080")
  ),
  secrets: Settings.text("Let runs type the secrets of a JSON FILE, which the model never sees (default: none)"),
  modelContext: Settings.int(
    "Keep requests within a model's context of this many tokens (default: taken from the model's error about a long request)",
    CliFlags.atLeast(4000)
  ),
  maxPageChars: Settings.int(
    "Show the model at most this many characters of a page (default: 40000)",
    CliFlags.atLeast(1000)
  ),
  approvals: Settings.text(
    "Refuse actions, or have a person approve them, by the rules of a JSON FILE (default: none)"
  ),
  recordDialogues: Settings.text(
    "Record the dialogues of runs with their model in this FOLDER, without secrets (default: off)"
  ),
  maxSteps: Settings.int("Fail a run after this many steps (default: 50)", CliFlags.atLeast(1)),
  maxFailedSteps: Settings.int("Fail a run after this many failed steps in a row (default: 5)", CliFlags.atLeast(1)),
  maxRepeatedSteps: Settings.int(
    "Fail a run that repeats the same calls on the same page this often (default: 6)",
    CliFlags.atLeast(2)
  ),
  maxRunTime: Settings.text("Fail a run after this time (default: 30m)", positiveSpan),
  maxRunCost: Settings.text(
    "Fail a run that has cost this many USD; needs --model-price (default: no limit)",
    Flag.filterMap(costFromText, () => "an amount in USD such as 0.50")
  )
}

/** The settings of a fallback model. */
const fallback = {
  fallbackUrl: Settings.text(
    "Use the fallback model at an address (default: the vendor's; with openai-compatible, Ollama's)",
    asAddress("http://127.0.0.1:11434/v1")
  ),
  fallbackPrice: Settings.text("Prices of the fallback model, as --model-price (default: unknown)", asPrice)
}

/** The settings of a service. Each group but the first applies only with some of the others: see `serve`. */
export const serveSettings = { node, file, shared, simulated, limits, chromium, agent, fallback }

/** The names of all settings of a service. */
export const serveNames = Object.values(serveSettings).flatMap((group) => Object.keys(group))

/** The fields that a configuration file of a service may have. */
export const serveFields = [...serveNames, "apiKey", "adminKey"]

/** Old names of settings, each with the new name. */
export const renamed: Settings.Renamed = { isolation: "minIsolation" }
