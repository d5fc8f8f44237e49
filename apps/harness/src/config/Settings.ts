import { Spelling } from "@webagent/control"
import * as EffectConfig from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as Config from "./Config.ts"
import { fromHere, type Project, suitesOf } from "./Project.ts"
import { isWebAddress } from "./Values.ts"

/** The commands whose flags a configuration sets. */
export type CommandName =
  | "run"
  | "ui"
  | "plan"
  | "list"
  | "merge"
  | "history"
  | "history accept"
  | "history acknowledge"
  | "quarantine"
  | "quarantine add"
  | "quarantine remove"
  | "compare"
  | "load"
  | "load compare"
  | "load render"
  | "cleanup"
  | "doctor"
  | "record"
  | "drift"
  | "eval"

type Value = string | number | boolean | ReadonlyArray<string> | undefined
type Values = Readonly<Record<string, Value>>

const elsewhere = ["targets", "limits", "load", "nightly"]
const ofRun = Object.keys(Config.Config.fields).filter((key) => !elsewhere.includes(key))

/** Keys that are flags of the same name, by the commands that take them. */
const keysOf: Readonly<Record<CommandName, ReadonlyArray<string>>> = {
  run: ofRun,
  // a page chooses the reporters and whether to record, and each run has a folder of its own
  ui: ofRun.filter((key) => !["reporters", "record", "reportDir"].includes(key)),
  plan: ofRun,
  list: ["suites", "builtIn"],
  merge: ["reportDir", "reporters", "notifications", "reportUrl", "remindDays"],
  history: ["history"],
  "history accept": ["history"],
  "history acknowledge": ["history"],
  quarantine: ["quarantine"],
  "quarantine add": ["quarantine", "history"],
  "quarantine remove": ["quarantine"],
  compare: ["history"],
  load: ["target", "reportDir", "apiKeyEnv", "apiKeyHeader"],
  "load compare": ["reportDir", "apiKeyEnv", "apiKeyHeader"],
  "load render": ["target", "apiKeyHeader"],
  cleanup: ["apiKeyEnv"],
  doctor: ["target", "apiKeyEnv", "apiKeyHeader"],
  // what is recorded or compared is no night
  record: ofRun.filter((key) => key !== "record"),
  // its suites and its service are its own
  eval: ["timeout", "maxTime", "maxCost", "seed", "reportDir", "reporters", "apiKeyEnv", "apiKeyHeader"],
  drift: ofRun.filter((key) => !["record", "reporters", "target"].includes(key))
}

const workload = ["rate", "duration", "vus", "mix", "sample", "task", "runTimeout"]

/** Keys of `load` in the configuration, by the commands that take them. */
const loadKeysOf: Partial<Record<CommandName, ReadonlyArray<string>>> = {
  load: [...workload, "thresholds", "segments", "profile", "baseline", "tolerance"],
  "load compare": [...workload, "profile", "tolerance"],
  "load render": [...workload, "thresholds", "segments"]
}

/** Settings that are ignored if one of these flags is typed, because the two are incompatible. */
const givesWayTo: Readonly<Record<string, ReadonlyArray<string>>> = {
  suites: ["suite", "built-in", "proxy"],
  concurrency: ["debug"],
  extraTrials: ["trial"],
  // a part of a night is no night
  record: ["suite", "tag", "owner", "name", "trial", "last-failed", "repeat-until-failure"],
  rate: ["vus"],
  vus: ["rate"]
}

const files = ["history", "quarantine", "reportDir", "baseline"]
const times = ["timeout", "maxTime", "maxOutage", "maxScenarioTime", "duration", "runTimeout"]

const snake = (key: string) => key.replaceAll(/(?<=[a-z\d])[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()

/** The variable that sets a key. */
const variableOf = (key: string) => `WEBAGENT_HARNESS_${snake(key)}`

const flagOf = (key: string) =>
  ({ suites: "suite", reporters: "reporter", notifications: "notify" })[key] ??
  snake(key).toLowerCase().replaceAll("_", "-")

/** The flags that are among the words of a command line; `--no-record` is `record`. */
const typedIn = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(words.flatMap((word) => /^--(?:no-)?([^=]+)/u.exec(word)?.[1] ?? []))

/**
 * Parses the text of an environment variable to the type that the configuration has for the key: number, list or
 * boolean.
 */
const readAs = (key: string, text: string): Value => {
  if (key === "suites" || key === "reporters") return text.split(",").map((part) => part.trim())
  const decoded = Config.decode({ [key]: text })
  if (Result.isSuccess(decoded)) return text
  if (/^(?:true|false)$/u.test(text)) return text === "true"
  return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text)
}

const textOf = (variable: string) =>
  EffectConfig.option(EffectConfig.NonEmptyString(variable)).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.orElseSucceed(() => undefined)
  )

/** Reads the values of some keys from the environment. */
const fromEnvironment = Effect.fnUntraced(function* (keys: ReadonlyArray<string>, { config }: Project) {
  const values: Record<string, Value> = {}
  for (const key of keys) {
    const variable = variableOf(key)
    const text = yield* textOf(variable)
    if (text === undefined) {
      // a variable of an old name would have no effect
      const old = Object.keys(Config.renamed).find((name) => Config.renamed[name] === key)
      const before = old === undefined ? undefined : variableOf(old)
      if (before !== undefined && (yield* textOf(before)) !== undefined) {
        return yield* usage(`${before} is called ${variable} now. Rename the variable.`)
      }
      continue
    }
    const value = readAs(key, text)
    const decoded = Config.decode({ targets: config.targets, [key]: value })
    if (Result.isFailure(decoded)) {
      return yield* usage(decoded.failure.map((mistake) => mistake.replace(key, variable)).join("\n"))
    }
    values[key] = value
  }
  return values
})

const named = (reporter: NonNullable<Config.Config["reporters"]>[number]): string =>
  typeof reporter === "string" ? reporter : reporter[0]

const list = (value: string | ReadonlyArray<string>) => (typeof value === "string" ? [value] : value)

/** Reads the values of some keys from the configuration file, with its paths relative to the current directory. */
const fromFile = (keys: ReadonlyArray<string>, project: Project, values: Readonly<Record<string, unknown>>): Values => {
  const { notifications, reporters, suites } = project.config
  const here = (text: string) => fromHere(project, text)
  return Object.fromEntries(
    keys.map((key) => {
      const value = values[key] as Value
      if (key === "reporters")
        return [key, reporters?.map(named).map((name) => (Config.isReporterPath(name) ? here(name) : name))]
      if (key === "notifications")
        return [key, notifications?.flatMap((one) => Object.entries(one).map(([kind, to]) => `${kind}=${to}`))]
      if (key === "suites") return [key, suites === undefined ? undefined : suitesOf(project)]
      if (typeof value === "number" && times.includes(key)) return [key, `${value}ms`]
      return [key, typeof value === "string" && files.includes(key) ? here(value) : value]
    })
  )
}

const wordsOf = (key: string, value: Value): ReadonlyArray<string> => {
  const flag = `--${flagOf(key)}`
  if (value === undefined || value === false) return []
  if (value === true) return [flag]
  if (key === "suites" || key === "notifications")
    return list(value as ReadonlyArray<string>).flatMap((one) => [flag, one])
  return [flag, String(value)]
}

const takes = (command: CommandName, key: string) =>
  keysOf[command].some((taken) => taken === key) || ["run", "ui", "plan", "record"].includes(command)

/** The words with the target that is typed, by its name, as its address, and what belongs to it. */
const withTarget = (
  command: CommandName,
  words: ReadonlyArray<string>,
  { project: { config, file }, typed }: { readonly project: Project; readonly typed: ReadonlySet<string> }
) => {
  const at = words.findLastIndex((word) => word === "--target" || word.startsWith("--target="))
  const word = words[at]
  if (word === undefined) return Result.succeed(words)
  const isOne = word !== "--target"
  const name = isOne ? word.slice("--target=".length) : (words[at + 1] ?? "")
  const { targets = {} } = config
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined
  if (target === undefined) {
    const names = ["simulated", ...Object.keys(targets)]
    if (names.length === 1 || name === "simulated" || isWebAddress(name)) return Result.succeed(words)
    const meant = Spelling.meant(name, names)
    const help =
      meant === undefined
        ? `Use one of ${names.join(", ")}, or a web address such as https://host.`
        : `Did you mean ${meant}?`
    return Result.fail(`${file} has no target "${name}". ${help}`)
  }
  const { url, ...more } = target
  return Result.succeed([
    ...words.slice(0, at),
    "--target",
    url,
    ...words.slice(at + (isOne ? 1 : 2)),
    ...Object.entries(more).flatMap(([key, value]) =>
      typed.has(flagOf(key)) || !takes(command, key) ? [] : wordsOf(key, value)
    )
  ])
}

/** The settings of load tests: those of all, and over them those of the profile that is named. */
const ofLoad = (project: Project, profile: string | undefined) => {
  const { profiles = {}, ...all } = project.config.load ?? {}
  const own = profile !== undefined && Object.hasOwn(profiles, profile) ? profiles[profile] : undefined
  const { test, ...settings } = { ...all, ...own }
  const { thresholds } = settings
  const limits =
    typeof thresholds === "object" ? JSON.stringify(thresholds) : thresholds && fromHere(project, thresholds)
  return { test: own && test, settings: { ...settings, thresholds: limits } }
}

/** Replaces the name of a load profile, as an argument or as `--test=NAME`, by the name of its load test. */
const withTest = (word: string, profile: string | undefined, test: string) =>
  word === profile ? test : word === `--test=${profile}` ? `--test=${test}` : word

/**
 * The words of a command with what the environment and the configuration add to them: flags that are not typed. A flag wins
 * over the environment, and the environment over the configuration. `named` are the words that are no flags.
 */
export const settle = (
  command: CommandName,
  words: ReadonlyArray<string>,
  { named, project }: { readonly named: ReadonlyArray<string>; readonly project: Project }
): Effect.Effect<ReadonlyArray<string>, UserError> =>
  Effect.gen(function* () {
    const typed = typedIn(words)
    const loadKeys = loadKeysOf[command] ?? []
    const load = ofLoad(project, loadKeys.length === 0 ? undefined : named[0])
    const isTyped = (key: string) =>
      [flagOf(key), ...(givesWayTo[key] ?? [])].some((flag) => typed.has(flag)) ||
      (named.length > 0 && (key === "suites" || key === "record"))
    const keys = keysOf[command].filter((key) => !isTyped(key))
    const values = {
      ...fromFile(keys, project, project.config),
      ...fromFile(
        loadKeys.filter((key) => !isTyped(key)),
        project,
        load.settings
      ),
      ...(yield* fromEnvironment(keys, project))
    }
    // the target brings what belongs to it, before what holds for every target
    const { apiKeyEnv, apiKeyHeader, allowPaid, target, ...others } = values
    const { test } = load
    const started = test === undefined ? words : words.map((word) => withTest(word, named[0], test))
    const targeted = withTarget(command, [...started, ...wordsOf("target", target)], { project, typed })
    if (Result.isFailure(targeted)) return yield* usage(targeted.failure)
    const present = typedIn(targeted.success)
    const rest = Object.entries({ ...others, apiKeyEnv, apiKeyHeader, allowPaid })
    return [
      ...targeted.success,
      ...rest.flatMap(([key, value]) => {
        if (present.has(flagOf(key))) return []
        // list takes suites as arguments alone
        return command === "list" && key === "suites" && typeof value === "object" ? value : wordsOf(key, value)
      })
    ]
  })
