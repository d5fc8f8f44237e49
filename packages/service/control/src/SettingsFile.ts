import * as Data from "effect/Data"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { fieldIssues, line } from "./FieldIssue.ts"
import { FaultPlan } from "./FaultPlan.ts"
import { type PresetName, presetNames, presets } from "./presets.ts"
import { Profile } from "./Profile.ts"
import { meant } from "@webagent/contract/Spelling"

/** A file or a value that is no profile or no fault plan; `lines` has one for each thing that is wrong with it. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly lines: ReadonlyArray<string> }> {
  override get message() {
    return this.lines.join("\n")
  }
}

/** The contents of a profile file: a profile, or the differences from a preset. */
export const ProfileFile = Schema.Struct({
  /** Location of the file's JSON Schema, for editors. */
  $schema: Schema.optionalKey(Schema.String),
  /** The preset from which every field that the file does not name is taken, whole. */
  extends: Schema.optionalKey(Schema.Literals(presetNames)),
  ...Profile.fields
}).annotate({ identifier: "ProfileFile" })

const fail = (...lines: ReadonlyArray<string>) => Result.fail(new SettingsError({ lines }))

const isPreset = (name: string): name is PresetName => presetNames.some((preset) => preset === name)

const decode = <A>(schema: Schema.Codec<A, unknown>, input: unknown): Result.Result<A, SettingsError> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(input),
    ({ issue }) => new SettingsError({ lines: fieldIssues(issue, input).map(line) })
  )

/** Checks a value that may not have been type-checked: a fault with a misspelled kind would never apply. */
const check = <A>(schema: Schema.Codec<A, unknown>): ((value: A) => Result.Result<A, SettingsError>) => {
  const typed = Schema.toType(schema)
  return (value) => Result.map(decode(typed, value), () => value)
}

/** The profile itself, or what is wrong with it, if it comes from where no type is checked: times are Durations. */
export const checkedProfile = check(Profile)

/** The fault plan itself, or what is wrong with it, if it comes from where no type is checked: times are Durations. */
export const checkedFaultPlan = check(FaultPlan)

const parse = (text: string): Result.Result<unknown, SettingsError> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => new SettingsError({ lines: [`is not JSON: ${error instanceof Error ? error.message : error}`] })
  })

/** The preset of this name, or an error that names those that there are. */
export const preset = (name: string): Result.Result<Profile, SettingsError> => {
  if (isPreset(name)) return Result.succeed(presets[name])
  const guess = meant(name, presetNames)
  const help = guess === undefined ? `Use one of ${presetNames.join(", ")}.` : `Did you mean ${guess}?`
  return fail(`Unknown preset "${name}". ${help}`)
}

/** A profile from a value such as a parsed file. Unknown fields are errors; all that is wrong is told at once. */
export const profileFromUnknown = (input: unknown): Result.Result<Profile, SettingsError> =>
  Result.map(decode(ProfileFile, input), ({ $schema: _schema, extends: base, ...profile }) => ({
    ...(base === undefined ? {} : presets[base]),
    ...profile
  }))

/** A profile from the text of a JSON file. */
export const profileFromJson = (text: string): Result.Result<Profile, SettingsError> =>
  Result.flatMap(parse(text), profileFromUnknown)

/** A fault plan from a value such as a parsed file: a list of rules. */
export const faultPlanFromUnknown = (input: unknown): Result.Result<FaultPlan, SettingsError> =>
  decode(FaultPlan, input)

/** A fault plan from the text of a JSON file. */
export const faultPlanFromJson = (text: string): Result.Result<FaultPlan, SettingsError> =>
  Result.flatMap(parse(text), faultPlanFromUnknown)
