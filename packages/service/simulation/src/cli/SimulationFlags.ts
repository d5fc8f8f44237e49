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
    Flag.withDescription(
      "How the service behaves: instant, realistic, flaky, hostile, overloaded, or a profile's JSON file"
    ),
    Flag.optional
  ),
  faults: Flag.String("faults").pipe(
    Flag.withDescription("A JSON file with the faults that strike, in place of the profile's"),
    Flag.optional
  ),
  time: Flag.Literals("time", ["real", "manual"]).pipe(
    Flag.withDescription("How service time goes: real, or manual, which stands still until the control API moves it"),
    Flag.optional
  ),
  timeScale: Flag.Finite("time-scale").pipe(
    Flag.withDescription("How many times as fast service time goes: with 60 a minute takes a second"),
    Flag.filter(
      (factor) => factor > 0 && factor <= 1_000_000,
      (factor) => `Expected: more than 0 and at most 1000000, got ${factor}`
    ),
    Flag.optional
  ),
  control: Flag.Boolean("control").pipe(
    Flag.withDescription("Serve the control API, on a port of its own and on this machine only"),
    Flag.withDefault(false)
  ),
  controlPort: Flag.Int("control-port").pipe(
    Flag.withDescription("Where the control API listens (default: 0, any free port)"),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    ),
    Flag.optional
  ),
  controlKey: Flag.String("control-key").pipe(
    Flag.withDescription("What opens the control API (default: WEBAGENT_CONTROL_KEY, else a new one)"),
    Flag.filter(
      (key) => key.trim() !== "",
      () => "Expected: a key that is not empty"
    ),
    Flag.optional
  ),
  journalSize: Flag.Int("journal-size").pipe(
    Flag.withDescription("How many rows the journal keeps (default 20000); 0 switches it off"),
    Flag.filter(
      (rows) => rows >= 0,
      (rows) => `Expected: 0 or more, got ${rows}`
    ),
    Flag.optional
  )
}

/** The flags as they were given. */
export type Given = Command.Command.Config.Infer<typeof flags>

/** What was asked for, ready for `SimulatedService.layer`, and a line for each setting that is not as usual. */
export interface Asked {
  readonly options: Pick<SimulatedOptions, "profile" | "faults" | "time" | "control" | "journal">
  /** What to print of it and of where the control API listens, once it does. */
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
          ? `--${flag}: there is no file ${path}.`
          : `--${flag}: the file ${path} cannot be read (${reason._tag}).`
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
          mistake(`${message} A file is named with its path, such as ./${chosen}.json.`)
        )
  )

const timeOf = ({ time, timeScale }: Given): Effect.Effect<TimeMode | undefined, SimulationMistake> => {
  if (Option.isSome(timeScale)) {
    return Option.isSome(time) && time.value === "manual"
      ? Effect.fail(mistake("Time that is moved by hand has no scale: give --time manual or --time-scale, not both."))
      : Effect.succeed({ mode: "scaled", factor: timeScale.value })
  }
  return Effect.succeed(Option.isSome(time) ? { mode: time.value } : undefined)
}

/** The key of the control API: as given, else from the environment, else a new one that has to be printed. */
const controlOf = Effect.fnUntraced(function* ({ control, controlKey, controlPort }: Given) {
  // whoever names its port or its key wants it
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
  const still = "stands still until the control API moves it"
  return profile?.latency === undefined
    ? still
    : `${still}; every request waits for that, since the profile has latency`
}

const rules = (plan: FaultPlan): string => (plan.length === 1 ? "1 rule" : `${plan.length} rules`)

/** What the flags ask for; fails with a sentence, and a line for each wrong field of a file. */
export const resolve = Effect.fnUntraced(function* (given: Given) {
  const profile = Option.isSome(given.profile) ? yield* profileOf(given.profile.value) : undefined
  const faults = Option.isSome(given.faults)
    ? yield* read("faults", given.faults.value, (yield* settingsFile).faultPlanFromJson)
    : undefined
  const time = yield* timeOf(given)
  const control = yield* controlOf(given)
  if (time?.mode === "manual" && control === undefined) {
    return yield* mistake("With --time manual nothing ever happens unless something moves time: add --control.")
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
  } satisfies Asked
})
