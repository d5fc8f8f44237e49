import type { FaultPlan, Profile, SettingsFile, TimeMode } from "@webagent/control"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type * as Result from "effect/Result"
import { randomBytes } from "node:crypto"
import type { SimulatedOptions } from "../Parts.ts"
import type { ControlServer } from "../control/ControlServer.ts"

/** Flags that contradict each other, or a file that cannot be used: what is wrong, for the person at the keyboard. */
export class SimulationMistake extends Data.TaggedError("SimulationMistake")<{ readonly message: string }> {}

/** The flags of every command that serves the simulated service. */
export const flags = {
  profile: Flag.String("profile").pipe(
    Flag.withDescription("Behave as PROFILE: instant, realistic, flaky, hostile, overloaded or a file"),
    Flag.optional
  ),
  faults: Flag.String("faults").pipe(
    Flag.withDescription("Inject the faults in a JSON file (default: the profile's)"),
    Flag.optional
  ),
  time: Flag.Literals("time", ["real", "manual"]).pipe(
    Flag.withDescription("Run service time as real, or manual: moved by the control API (default: real)"),
    Flag.optional
  ),
  timeScale: Flag.Finite("time-scale").pipe(
    Flag.withDescription("Speed up service time: with 60 a minute takes a second (default: 1)"),
    Flag.filter(
      (factor) => factor > 0 && factor <= 1_000_000,
      () => "a number above 0, up to 1000000"
    ),
    Flag.optional
  ),
  control: Flag.Boolean("control").pipe(
    Flag.withDescription("Serve the control API on its own port, on this machine only (default: off)"),
    Flag.withDefault(false)
  ),
  controlPort: Flag.Int("control-port").pipe(
    Flag.withDescription("Listen for the control API on a port (default: 0, any free port)"),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.optional
  ),
  controlKey: Flag.String("control-key").pipe(
    Flag.withDescription("Set the control API key (default: WEBAGENT_CONTROL_KEY, else a new key)"),
    Flag.filter(
      (key) => key.trim() !== "",
      () => "a key that is not empty"
    ),
    Flag.optional
  ),
  journalSize: Flag.Int("journal-size").pipe(
    Flag.withDescription("Keep this many journal rows; 0 turns the journal off (default: 20000)"),
    Flag.filter(
      (rows) => rows >= 0,
      () => "0 or more"
    ),
    Flag.optional
  )
}

/** The flags as they were given. */
export type Flags = Command.Command.Config.Infer<typeof flags>

/** The resolved options for `SimulatedService.layer`, with a line for each unusual setting. */
interface Resolved {
  readonly options: Pick<SimulatedOptions, "profile" | "faults" | "time" | "control" | "journal">
  /** Lines to print once the control API listens. */
  readonly lines: (control: ControlServer["Service"]) => ReadonlyArray<readonly [label: string, text: string]>
}

const mistake = (message: string) => new SimulationMistake({ message })

/** Loaded when there is something to read: a program that has these flags starts no later for it. */
const settingsFile = Effect.map(
  Effect.promise(() => import("@webagent/control")),
  (control) => control.SettingsFile
)

const looksLikeFile = (text: string): boolean => /[./\\]/u.test(text)

const read = <A>(
  flag: string,
  path: string,
  parse: (text: string) => Result.Result<A, SettingsFile.SettingsError>
): Effect.Effect<A, SimulationMistake, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const text = yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
      mistake(
        reason._tag === "NotFound"
          ? `--${flag}: file ${path} not found. Check the path.`
          : `--${flag}: cannot read file ${path} (${reason._tag}). Check its permissions.`
      )
    )
    return yield* Effect.mapError(Effect.fromResult(parse(text)), ({ lines }) =>
      mistake(lines.length === 1 ? `${path}: ${lines[0]}` : `${path}:\n${lines.map((line) => `  ${line}`).join("\n")}`)
    )
  })

const profileOf = (chosen: string): Effect.Effect<Profile, SimulationMistake, FileSystem.FileSystem> =>
  Effect.flatMap(settingsFile, ({ preset, profileFromJson }) =>
    looksLikeFile(chosen)
      ? read("profile", chosen, profileFromJson)
      : Effect.mapError(Effect.fromResult(preset(chosen)), ({ message }) =>
          mistake(`${message} To use a file, give its path, such as ./${chosen}.json.`)
        )
  )

const timeOf = ({ time, timeScale }: Flags): Effect.Effect<TimeMode | undefined, SimulationMistake> => {
  if (Option.isSome(timeScale)) {
    return Option.isSome(time) && time.value === "manual"
      ? Effect.fail(mistake("--time manual and --time-scale cannot be combined. Remove one of them."))
      : Effect.succeed({ mode: "scaled", factor: timeScale.value })
  }
  return Effect.succeed(Option.isSome(time) ? { mode: time.value } : undefined)
}

/** The key of the control API: as given, else from the environment, else a new one that has to be printed. */
const controlOf = Effect.fnUntraced(function* ({ control, controlKey, controlPort }: Flags) {
  // to name its port or its key is to ask for it
  if (!control && Option.isNone(controlKey) && Option.isNone(controlPort)) return undefined
  const configured = yield* Effect.orElseSucceed(
    Config.option(Config.NonEmptyString("WEBAGENT_CONTROL_KEY")),
    Option.none
  )
  const known = Option.orElse(controlKey, () => configured)
  return {
    key: Option.getOrElse(known, () => `wck_${randomBytes(18).toString("base64url")}`),
    port: Option.getOrElse(controlPort, () => 0),
    isNew: Option.isNone(known)
  }
})

const timeLine = (time: TimeMode, profile: Profile | undefined): string => {
  if (time.mode === "scaled") return `${time.factor} times as fast as real time`
  if (time.mode === "real") return "real"
  const still = "manual: moves only through the control API"
  return profile?.latency === undefined ? still : `${still}; requests wait for it because the profile has latency`
}

const rules = (plan: FaultPlan): string => (plan.length === 1 ? "1 rule" : `${plan.length} rules`)

/** Resolves the flags; fails with a sentence, and a line for each wrong field of a file. */
export const resolve = Effect.fnUntraced(function* (given: Flags) {
  const profile = Option.isSome(given.profile) ? yield* profileOf(given.profile.value) : undefined
  const faults = Option.isSome(given.faults)
    ? yield* read("faults", given.faults.value, (yield* settingsFile).faultPlanFromJson)
    : undefined
  const time = yield* timeOf(given)
  const control = yield* controlOf(given)
  if (time?.mode === "manual" && control === undefined) {
    return yield* mistake("--time manual needs the control API to move time. Add --control.")
  }
  const journal = Option.getOrUndefined(given.journalSize)
  const named = profile?.name ?? Option.getOrElse(given.profile, () => "")
  return {
    options: {
      ...(profile === undefined ? {} : { profile }),
      ...(faults === undefined ? {} : { faults }),
      ...(time === undefined ? {} : { time }),
      ...(control === undefined ? {} : { control: { key: control.key, port: control.port } }),
      ...(journal === undefined ? {} : { journal: { capacity: journal } })
    },
    lines: ({ address }: ControlServer["Service"]): ReadonlyArray<readonly [label: string, text: string]> => [
      ...(profile === undefined ? [] : [["profile", named] as const]),
      ...(faults === undefined ? [] : [["faults", rules(faults)] as const]),
      ...(time === undefined || time.mode === "real" ? [] : [["time", timeLine(time, profile)] as const]),
      ...(address === undefined ? [] : [["control", address] as const]),
      ...(control?.isNew === true ? [["control-key", control.key] as const] : [])
    ]
  } satisfies Resolved
})
