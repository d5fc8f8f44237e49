import * as Schema from "effect/Schema"
import { counted } from "@webagent/cli/Text"

/** Since when something has been wrong, by the nights on the same target that have looked at it. */
export const Onset = Schema.Struct({
  /** When the first night began in which it was so; this one, where it is new. */
  since: Schema.String,
  /** In how many nights it has been so without a break, this one among them. */
  nights: Schema.Int,
  /** Number of earlier nights that checked it. */
  known: Schema.Int,
  /** Number of nights without it between this time and the previous one; absent if it never happened before. */
  between: Schema.optionalKey(Schema.Int),
  /** True if all its scored trials passed in these nights. */
  green: Schema.optionalKey(Schema.Boolean),
  /** In how many nights before this one it was flaky, where it often was, or where it was last night and failed tonight. */
  flaky: Schema.optionalKey(Schema.Int)
})
export type Onset = typeof Onset.Type

/** Age of a problem: it happened for the first time, again after nights without it, or as in the previous night. */
type Age = "new" | "again" | "old"

/** Age of a problem; undefined if there is no earlier night. */
export const ageOf = (onset: Onset | undefined): Age | undefined => {
  if (onset === undefined) return undefined
  if (onset.nights > 1) return "old"
  return onset.between === undefined ? "new" : "again"
}

const ages: ReadonlyArray<Age> = ["new", "again", "old"]

/** Orders by age, the newest first. An unknown age counts as tonight. */
export const newestFirst = (one: Onset | undefined, other: Onset | undefined): number =>
  ages.indexOf(ageOf(one) ?? "new") - ages.indexOf(ageOf(other) ?? "new")

/** Orders what began tonight, for the first time or again, before what is older. */
export const tonightFirst = (one: Onset | undefined, other: Onset | undefined): number =>
  Number(ageOf(one) === "old") - Number(ageOf(other) === "old")

const nights = (count: number) => counted(count, "night")

/** It in words: `new`, `since 2026-11-14, 7 nights`, `again after 3 green nights`. */
export const text = (onset: Onset): string => {
  const { between = 0, flaky, green, known, nights: count, since } = onset
  const age = ageOf(onset)
  if (age === "old") return `since ${since.slice(0, 10)}${count > known ? " or before" : ""}, ${nights(count)}`
  const often = flaky === undefined ? "" : `, flaky in ${flaky} of ${nights(known)} before`
  if (age === "again") {
    return green === true
      ? `again after ${counted(between, "green night")}${often}`
      : `again after ${nights(between)} without it`
  }
  if (flaky !== undefined) return `new${often}`
  return known === 0 ? "new, no night before has run it" : "new"
}

/**
 * Formats the number of problems per age: `1 new, 2 again, 4 as before`, `none new`. Undefined if no age is available.
 */
export const summary = (onsets: ReadonlyArray<Onset | undefined>): string | undefined => {
  const of = (age: Age) => onsets.filter((onset) => ageOf(onset) === age).length
  const [fresh, again, old] = [of("new"), of("again"), of("old")]
  if (fresh + again === 0) return old === 0 ? undefined : "none new"
  return [
    fresh === 0 ? undefined : `${fresh} new`,
    again === 0 ? undefined : `${again} again`,
    old === 0 ? undefined : `${old} as before`
  ]
    .filter((part) => part !== undefined)
    .join(", ")
}
