import * as Schema from "effect/Schema"
import { Onset } from "./Onset.ts"

/** A measured value with its unit, so that one formatter writes it. */
export const Amount = Schema.Union([
  Schema.TaggedStruct("Rate", { passed: Schema.Int, scored: Schema.Int }),
  /** A share from 0 to 1, such as a pass rate that is an estimate. */
  Schema.TaggedStruct("Share", { share: Schema.Number }),
  Schema.TaggedStruct("Duration", { milliseconds: Schema.Number }),
  /** A decimal in USD. */
  Schema.TaggedStruct("Cost", { usd: Schema.String }),
  Schema.TaggedStruct("Count", { count: Schema.Int }),
  /** A value divided by the one before it: 1.09 is 9 % more. */
  Schema.TaggedStruct("Ratio", { ratio: Schema.Number })
]).annotate({ identifier: "Amount" })
export type Amount = typeof Amount.Type

/** A scenario by its suite and name. */
export const ScenarioName = Schema.Struct({ suite: Schema.String, name: Schema.String })
export type ScenarioName = typeof ScenarioName.Type

/**
 * The verdict on a figure, compared with earlier runs. `no evidence` is not "no change": `detectable` is the smallest
 * change that this comparison can detect.
 */
export const JudgedVerdict = Schema.Literals(["regressed", "improved", "no evidence", "not enough data"])
export type JudgedVerdict = typeof JudgedVerdict.Type

/** Figure of a whole run or of one scenario. */
export const Figure = Schema.Literals(["pass rate", "flaky scenarios", "duration", "cost", "leaked browsers"])
export type Figure = typeof Figure.Type

/** A scenario that made a run slower or costlier, or its pass rate lower. */
export const Contributor = Schema.Struct({
  suite: Schema.String,
  name: Schema.String,
  /** Who looks at its failures. */
  owner: Schema.optionalKey(Schema.String),
  /** Median duration, cost of one trial or passed trials in this run. */
  now: Amount,
  /** The same, usually. */
  before: Amount,
  /** Increase over the usual value, as a share: 0.97 is 97 % more. */
  change: Schema.Number,
  /** Its share of the increase of all such scenarios together, from 0 to 1. */
  share: Schema.Number
})
export type Contributor = typeof Contributor.Type

/** Smallest change for the worse that four of five comparisons like this one would report. */
export const Detectable = Schema.Struct({
  /** The pass rate, the number, or the ratio to the usual value that would be reported. */
  amount: Amount,
  /** Number of runs in which it would have to persist; absent for one run. */
  window: Schema.optionalKey(Schema.Int)
})
export type Detectable = typeof Detectable.Type

/** Reason why a figure could not be compared. */
export const Lack = Schema.Union([
  /** No scenario has such a figure in this run. */
  Schema.TaggedStruct("NoValue", {}),
  /** No earlier run was on this machine. */
  Schema.TaggedStruct("FirstOnMachine", {}),
  /** Fewer earlier runs than `needed`; `code`: the scenario is new, or its code has changed. */
  Schema.TaggedStruct("FewRuns", {
    needed: Schema.Int,
    code: Schema.optionalKey(Schema.Literals(["new", "changed", "same"]))
  }),
  /** Other runs vary too much to detect a change of half. */
  Schema.TaggedStruct("Noise", {})
])
export type Lack = typeof Lack.Type

/** One figure compared with earlier runs: numbers only, `@webagent/findings` words them. */
export const Comparison = Schema.Struct({
  figure: Figure,
  /** Null for the whole run. */
  scenario: Schema.NullOr(ScenarioName),
  verdict: JudgedVerdict,
  /** True if it is far outside of earlier runs without being a regression. */
  isUnusual: Schema.Boolean,
  /** Null if there is no value of its own: a whole run's duration is only known relative to earlier ones. */
  now: Schema.NullOr(Amount),
  before: Schema.NullOr(Amount),
  /** Increase of a duration or a cost, as a share: 0.97 is 97 % more. */
  change: Schema.optionalKey(Schema.Number),
  /** The same compared with the other scenarios of the run, if this is one of them. */
  relativeChange: Schema.optionalKey(Schema.Number),
  /** Number of latest runs, including this one, that `now` covers. */
  window: Schema.Int,
  /** Start of the first of these runs. */
  since: Schema.String,
  /** Number of runs that `before` covers. */
  nights: Schema.Int,
  /** True if `before` is the first runs of the history and not those just before. */
  isFromStart: Schema.optionalKey(Schema.Boolean),
  /** True if `before` was measured on another machine. */
  isOtherMachine: Schema.optionalKey(Schema.Boolean),
  /** By how much earlier runs vary by themselves, as a share. */
  spread: Schema.optionalKey(Schema.Number),
  /** Probability of a change like this by chance, corrected for the number of tests. */
  pValue: Schema.optionalKey(Schema.Number),
  /** True if it happens in fewer than 1 of 100 runs. */
  isRare: Schema.optionalKey(Schema.Boolean),
  detectable: Schema.NullOr(Detectable),
  /** Extra trials, and the result of their test. */
  confirm: Schema.optionalKey(
    Schema.Struct({
      passed: Schema.Int,
      scored: Schema.Int,
      outcome: Schema.Literals(["confirmed", "not confirmed", "undecided"])
    })
  ),
  /** Trials of two runs with the same seed that differ, where two runs are compared. */
  pairs: Schema.optionalKey(Schema.Struct({ lost: Schema.Int, won: Schema.Int, of: Schema.Int })),
  /** Number of scenarios that ran, if some contributed to a change; of two runs, those that a change is the mean of. */
  scenarios: Schema.optionalKey(Schema.Int),
  lack: Schema.optionalKey(Lack),
  /** The scenarios that added most to a whole run that is worse or unusual: five at most, the greatest first. */
  contributors: Schema.optionalKey(Schema.Array(Contributor)),
  /** All scenarios that added to it, and their least and greatest `change`; absent in histories of older versions. */
  contributed: Schema.optionalKey(
    Schema.Struct({ scenarios: Schema.Int, least: Schema.Number, greatest: Schema.Number })
  ),
  /** Since when it has been worse, if it is. */
  onset: Schema.optionalKey(Onset)
}).annotate({ identifier: "Comparison" })
export type Comparison = typeof Comparison.Type
