import { type FaultRule, SettingsFile } from "@webagent/control"
import * as Result from "effect/Result"
import { faultFields } from "./texts.ts"

const numbers: ReadonlySet<string> = new Set(["status", "share"])

const ordinals = (text: string): ReadonlyArray<number | string> =>
  text.split(/[\s,]+/u).map((part) => (/^\d+$/u.test(part) ? Number(part) : part))

/** A share from a percentage as people write it. */
const shareOf = (text: string): number | string => {
  const percent = Number(text.replace(/%$/u, "").trim())
  return Number.isNaN(percent) ? text : percent / 100
}

const toNumber = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))

/** Reads a rule from the fields of a form, or returns a line for each field that is wrong. Empty fields are left out. */
export const ruleOf = (field: (name: string) => string): Result.Result<FaultRule, SettingsFile.SettingsError> => {
  const text = (name: string): string | undefined => field(name).trim() || undefined
  const entry = (name: string, value: unknown) => (value === undefined ? {} : { [name]: value })
  const read = <A>(name: string, convert: (text: string) => A): A | undefined => {
    const value = text(name)
    return value === undefined ? undefined : convert(value)
  }
  const kind = text("kind") ?? ""
  const fault = {
    kind,
    ...Object.assign(
      {},
      ...(faultFields[kind] ?? []).map((name) => entry(name, numbers.has(name) ? read(name, toNumber) : text(name)))
    )
  }
  const when = {
    ...entry(
      "operations",
      read("operation", (operation) => [operation])
    ),
    ...entry("resource", text("resource")),
    ...entry("attempts", read("attempts", ordinals)),
    ...entry("nth", read("nth", ordinals)),
    ...entry("rate", read("rate", shareOf)),
    ...entry("from", text("from")),
    ...entry("until", text("until"))
  }
  const rule = { ...entry("name", text("name")), fault, ...(Object.keys(when).length === 0 ? {} : { when }) }
  return Result.flatMap(SettingsFile.faultPlanFromUnknown([rule]), ([one]) =>
    one === undefined ? Result.fail(new SettingsFile.SettingsError({ lines: ["no fault"] })) : Result.succeed(one)
  )
}

/** The lines of an error, which name each field by its label. */
export const linesOf = ({ lines }: SettingsFile.SettingsError, labels: Readonly<Record<string, string>>): string =>
  lines
    // the form has a percentage where a rule has a share
    .map((line) => line.replace(/^(\[0\]\.when\.rate):.*/u, "$1: expected a number from 0 to 100"))
    .map((line) => line.replace(/^\[0\]\.?(?:fault\.|when\.)?(\w*)/u, (_, name) => labels[name] ?? name))
    .join("\n")
