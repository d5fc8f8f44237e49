import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stdio from "effect/Stdio"
import * as Flag from "effect/cli/Flag"
import { type UserError, usage } from "./UserError.ts"

/** The environment variable of a setting: `WEBAGENT_SERVER_DRAIN_WITHIN` for `drainWithin`. */
export const variableOf = (setting: string) => `WEBAGENT_SERVER_${setting.replaceAll(/[A-Z]/gu, "_$&").toUpperCase()}`

/** The flag of a setting: `--drain-within` for `drainWithin`. */
export const flagOf = (setting: string) => `--${setting.replaceAll(/[A-Z]/gu, "-$&").toLowerCase()}`

/**
 * A value that users set with a flag, an environment variable or a field of a configuration file, in this order. A setting
 * has no name of its own: `flags` takes it from the key in a record.
 */
export type Setting<A> = (name: string) => Flag.Flag<A>

type Refine<A, B> = (flag: Flag.Flag<A>) => Flag.Flag<B>

interface Maker<A> {
  (description: string): Setting<A | undefined>
  <B>(description: string, refine: Refine<A, B>): Setting<B | undefined>
}

const maker =
  <A>(make: (name: string) => Flag.Flag<A>, config: (name: string) => Config.Config<A>): Maker<A> =>
  <B>(description: string, refine?: Refine<A, B>): Setting<A | B | undefined> =>
  (name) => {
    const flag = make(flagOf(name).slice(2)).pipe(
      Flag.withDescription(description),
      Flag.withFallbackConfig(config(variableOf(name)))
    )
    const refined: Flag.Flag<A | B> = refine === undefined ? flag : refine(flag)
    return Flag.map(Flag.optional(refined), Option.getOrUndefined)
  }

export const text = maker(Flag.String, Config.NonEmptyString)
export const int = maker(Flag.Int, Config.Int)
export const finite = maker(Flag.Finite, Config.Finite)
export const boolean = maker(Flag.Boolean, Config.Boolean)
export const oneOf = <const Choices extends ReadonlyArray<string>>(choices: Choices, description: string) =>
  maker(
    (name) => Flag.Literals(name, choices),
    (name) => Config.Literals(choices, name)
  )(description)

/** A setting with a default. */
export const withDefault =
  <A, B extends A>(setting: Setting<A | undefined>, value: B): Setting<A> =>
  (name) =>
    Flag.map(setting(name), (set) => set ?? value)

type Settings = Readonly<Record<string, Setting<unknown>>>

/** Names settings by their keys, and returns their flags. */
export const flags = <S extends Settings>(settings: S) =>
  Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, setting(name)])) as {
    readonly [Name in keyof S]: S[Name] extends Setting<infer A> ? Flag.Flag<A> : never
  }

/**
 * Returns a group of settings, or undefined if the group doesn't apply. Fails if it doesn't apply and one of its settings
 * is given.
 *
 * @param needs the reason why the group applies, and the flag that makes it apply
 */
export const group = <G extends object>(
  values: G,
  applies: boolean,
  needs: readonly [what: string, flag: string]
): Effect.Effect<G | undefined, UserError> => {
  if (applies) return Effect.succeed(values)
  const extra = Object.entries(values).find(([, value]) => value !== undefined)
  if (extra === undefined) return Effect.succeed(undefined)
  const flag = flagOf(extra[0])
  return Effect.fail(usage(`${flag} works only with ${needs[0]}. Add ${needs[1]} or remove ${flag}.`))
}

/** `--config`, which is read before the flags whose defaults it sets: see `layerFile`. */
export const config = Flag.String("config").pipe(
  Flag.withDescription("Read settings from a JSON FILE (default: WEBAGENT_SERVER_CONFIG, else none)"),
  Flag.optional
)

/** The settings that a configuration file may have, by command. */
type FileSettings = Readonly<Record<string, ReadonlyArray<string>>>

/** Old names of settings, each with the new name. */
export type Renamed = Readonly<Record<string, string>>

/** Old and new flags of renamed settings: `{ "--isolation": "--min-isolation" }`. */
export const renamedFlags = (renamed: Renamed): Renamed =>
  Object.fromEntries(Object.entries(renamed).map(([old, name]) => [flagOf(old), flagOf(name)]))

/** Refuses the variable of an old name, which would have no effect, unless the variable of the new name is set as well. */
const checkVariables = Effect.fnUntraced(function* (renamed: Renamed, names: ReadonlyArray<string>) {
  const isSet = (variable: string) => Effect.map(Config.option(Config.String(variable)), Option.isSome)
  for (const [old, name] of Object.entries(renamed)) {
    const [before, now] = [variableOf(old), variableOf(name)]
    if (names.includes(name) && (yield* isSet(before)) && !(yield* isSet(now))) {
      return yield* usage(`${before} is called ${now} now. Rename the variable.`)
    }
  }
})

const parse = (
  path: string,
  text: string,
  settings: FileSettings,
  { command, renamed }: { readonly command: string; readonly renamed: Renamed }
): Result.Result<Record<string, unknown>, UserError> => {
  const wrong = (problem: string) => Result.fail(usage(`${path}: ${problem}`))
  const json = Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return wrong('must be a JSON object such as { "port": 8080 }.')
  }
  const names = settings[command] ?? []
  const unknown = Object.keys(json).find((name) => !names.includes(name))
  // a list would count as no value, and a limit that it has would not hold
  const [nested, value] = Object.entries(json).find(([, value]) => typeof value === "object" && value !== null) ?? []
  if (nested !== undefined) {
    const example = Array.isArray(value) ? `, such as ${JSON.stringify(value.join(","))}` : ""
    return wrong(`setting "${nested}" must be a text, a number, true or false${example}.`)
  }
  if (unknown === undefined) {
    return Result.succeed(Object.fromEntries(Object.entries(json).map(([name, value]) => [variableOf(name), value])))
  }
  const name = Object.hasOwn(renamed, unknown) ? renamed[unknown] : undefined
  if (name !== undefined) return wrong(`setting "${unknown}" is called "${name}" now. Rename it.`)
  const other = Object.keys(settings).find((one) => settings[one]?.includes(unknown))
  return other === undefined
    ? wrong(`unknown setting "${unknown}". Use one of ${names.join(", ")}.`)
    : wrong(`setting "${unknown}" works only with the command ${other}. Remove it, or use that command.`)
}

const fileIn = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findIndex((arg) => arg === "--config" || arg.startsWith("--config="))
  return at === -1 ? undefined : (/^--config=(.*)$/su.exec(args[at] ?? "")?.[1] ?? args[at + 1])
}

/**
 * Reads the configuration file for settings that neither a flag nor an environment variable sets.
 *
 * @param settings the settings that the file may have, by command
 * @param fallback the command whose settings the file has if another command runs
 * @param renamed settings that have another name now: their old names are refused, in the environment as well
 */
export const layerFile = <Command extends string>(
  settings: Readonly<Record<Command, ReadonlyArray<string>>>,
  fallback: Command,
  renamed: Renamed = {}
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const args = yield* Effect.flatten(Effect.map(Stdio.Stdio, (stdio) => stdio.args))
      const command = args.find((arg) => Object.hasOwn(settings, arg))
      yield* checkVariables(renamed, (settings as FileSettings)[command ?? ""] ?? [])
      const path =
        fileIn(args) ?? Option.getOrUndefined(yield* Config.option(Config.NonEmptyString(variableOf("config"))))
      if (path === undefined) return Layer.empty
      const files = yield* FileSystem.FileSystem
      const text = yield* Effect.mapError(files.readFileString(path), () =>
        usage(`--config: cannot read file ${path}. Check the path and its permissions.`)
      )
      const values = yield* Effect.fromResult(parse(path, text, settings, { command: command ?? fallback, renamed }))
      return ConfigProvider.layerAdd(ConfigProvider.fromUnknown(values))
    })
  )

/** The API keys to accept: those of the flags, or otherwise the one of the environment or the configuration file. */
export const apiKeys = (given: ReadonlyArray<string>, setting = "apiKey") =>
  given.length > 0
    ? Effect.succeed(given)
    : Effect.map(Config.option(Config.NonEmptyString(variableOf(setting))), Option.toArray)
