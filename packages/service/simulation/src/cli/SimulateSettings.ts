import type { FaultPlan, Profile, TimeMode } from "@webagent/control"
import { SettingsFile } from "@webagent/control"
import { isLoopback } from "@webagent/contract/Loopback"
import * as Settings from "@webagent/cli/Settings"
import { type UserError, usage } from "@webagent/cli/UserError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import * as Struct from "effect/Struct"
import { randomBytes } from "node:crypto"
import type { SimulatedOptions } from "../Parts.ts"
import { defaultKeys } from "../Parts.ts"
import type { SimulateFlags } from "./SimulateCommand.ts"

/** Labels and values of the settings that differ from the defaults. */
export type Lines = ReadonlyArray<readonly [label: string, text: string]>

/** The options for `SimulatedService.layer`, with a line for each unusual setting. */
interface Resolved {
  readonly options: SimulatedOptions
  readonly apiKey: string
  /** Lines to print once the control API listens at its address. */
  readonly lines: (controlAddress: string | undefined) => Lines
}

const read = <A>(
  flag: string,
  path: string,
  parse: (text: string) => Result.Result<A, SettingsFile.SettingsError>
): Effect.Effect<A, UserError, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
      usage(
        reason._tag === "NotFound"
          ? `--${flag}: file ${path} not found. Check the path.`
          : `--${flag}: cannot read file ${path} (${reason._tag}). Check its permissions.`
      )
    )
    return yield* Effect.mapError(Effect.fromResult(parse(text)), ({ lines }) =>
      usage(lines.length === 1 ? `${path}: ${lines[0]}` : `${path}:\n${lines.map((line) => `  ${line}`).join("\n")}`)
    )
  })

const looksLikeFile = (text: string): boolean => /[./\\]/u.test(text)

const profileOf = (chosen: string): Effect.Effect<Profile, UserError, FileSystem.FileSystem> =>
  looksLikeFile(chosen)
    ? read("profile", chosen, SettingsFile.profileFromJson)
    : Effect.mapError(Effect.fromResult(SettingsFile.preset(chosen)), ({ message }) =>
        usage(`${message} To use a file, give its path, such as ./${chosen}.json.`)
      )

const timeOf = ({ time, timeScale }: SimulateFlags): Effect.Effect<TimeMode | undefined, UserError> => {
  if (timeScale === undefined) return Effect.succeed(time && { mode: time })
  return time === "manual"
    ? Effect.fail(usage("--time manual and --time-scale cannot be combined. Remove one of them."))
    : Effect.succeed({ mode: "scaled", factor: timeScale })
}

/** The port and key of the control API. It's on if time is manual, and if its port or key is given. */
const controlOf = Effect.fnUntraced(function* ({ control, controlKey, controlPort, time }: SimulateFlags) {
  if (control !== true && controlKey === undefined && controlPort === undefined && time !== "manual") return undefined
  const configured = yield* Effect.orElseSucceed(
    Config.option(Config.NonEmptyString("WEBAGENT_CONTROL_KEY")),
    Option.none
  )
  const key = controlKey ?? Option.getOrUndefined(configured)
  return {
    key: key ?? `wck_${randomBytes(18).toString("base64url")}`,
    port: controlPort ?? 0,
    isNew: key === undefined
  }
})

/** The keys to accept: as given, or a well-known one if only this machine can use it. */
const keysOf = Effect.fnUntraced(function* ({ apiKeys, host }: SimulateFlags) {
  const given = yield* Settings.apiKeys(apiKeys)
  if (given.length > 0) return given
  if (isLoopback(host)) return defaultKeys
  return yield* usage(
    `Other machines can reach ${host}. Set an API key with --api-key or ${Settings.variableOf("apiKey")}.`
  )
})

const timeLine = (time: TimeMode, profile: Profile | undefined): string => {
  if (time.mode === "scaled") return `${time.factor} times as fast as real time`
  if (time.mode === "real") return "real"
  const manual = "manual: moves only through the control API"
  return profile?.latency === undefined ? manual : `${manual}; requests wait for it because the profile has latency`
}

const rules = (plan: FaultPlan): string => (plan.length === 1 ? "1 rule" : `${plan.length} rules`)

/** Resolves the flags; fails with a sentence, and a line for each wrong field of a file. */
export const resolve = Effect.fnUntraced(function* (given: SimulateFlags) {
  const profile = given.profile === undefined ? undefined : yield* profileOf(given.profile)
  const faults =
    given.faults === undefined ? undefined : yield* read("faults", given.faults, SettingsFile.faultPlanFromJson)
  const time = yield* timeOf(given)
  const control = yield* controlOf(given)
  const apiKeys = yield* keysOf(given)
  return {
    apiKey: apiKeys[0] ?? "",
    options: {
      ...Struct.pick(given, ["host", "port", "seed", "publicUrl", "trustProxy", "apiKeyHeader"]),
      apiKeys,
      allowedHosts: given.allowHost,
      console: given.console ?? true,
      ...(given.turnDuration === undefined ? {} : { turnDuration: given.turnDuration }),
      ...(profile === undefined ? {} : { profile }),
      ...(faults === undefined ? {} : { faults }),
      ...(time === undefined ? {} : { time }),
      ...(control === undefined ? {} : { control: { key: control.key, port: control.port } }),
      ...(given.journalSize === undefined ? {} : { journal: { capacity: given.journalSize } })
    },
    lines: (controlAddress): Lines => [
      ...(profile === undefined ? [] : [["profile", profile.name ?? given.profile ?? ""] as const]),
      ...(given.seed === 1 ? [] : [["seed", String(given.seed)] as const]),
      ...(faults === undefined ? [] : [["faults", rules(faults)] as const]),
      ...(time === undefined || time.mode === "real" ? [] : [["time", timeLine(time, profile)] as const]),
      ["control", controlAddress ?? "off (turn it on with --control)"],
      ...(control?.isNew === true ? [["control-key", control.key] as const] : [])
    ]
  } satisfies Resolved
})
