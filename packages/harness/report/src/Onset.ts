import * as Schema from "effect/Schema"
import { RunRevision } from "./Revision.ts"

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
  flaky: Schema.optionalKey(Schema.Int),
  /** The last night without it and the first one with it, if their code is known. */
  change: Schema.optionalKey(Schema.Struct({ good: RunRevision, bad: RunRevision }))
}).annotate({ identifier: "Onset" })
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
