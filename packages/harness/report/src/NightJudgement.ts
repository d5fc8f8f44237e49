import * as Schema from "effect/Schema"
import { Onset } from "./Onset.ts"

/**
 * The verdict on a figure, compared with earlier nights. `no evidence` is not "no change": `detectable` is the smallest
 * change that this comparison can detect.
 */
export const JudgedVerdict = Schema.Literals(["regressed", "improved", "no evidence", "not enough data"])
export type JudgedVerdict = typeof JudgedVerdict.Type

/** Figure of the whole night or of one scenario. */
export const Figure = Schema.Literals(["pass rate", "flaky scenarios", "duration", "cost", "leaked browsers"])
export type Figure = typeof Figure.Type

/**
 * `red`: evidence that it is worse. `unusual`: beyond all nights of the baseline and by more than half, or a count that
 * is rare by chance; it does not fail the night. `fine`: everything else.
 */
export const Tier = Schema.Literals(["red", "unusual", "fine"])
export type Tier = typeof Tier.Type

/** A scenario that made a night slower or costlier, or its pass rate lower. */
export const Contributor = Schema.Struct({
  suite: Schema.String,
  name: Schema.String,
  /** Tonight's median duration, cost of one trial or passed trials, with its unit, for a person. */
  now: Schema.String,
  /** The same, usually. */
  before: Schema.String,
  /** Increase over the usual value, as a share: 0.97 is 97 % more. */
  change: Schema.Number,
  /** Its share of what all such scenarios together added, from 0 to 1. */
  share: Schema.Number
})
export type Contributor = typeof Contributor.Type

/** One figure of a night beside the nights before. */
export const JudgedRow = Schema.Struct({
  figure: Figure,
  /** Of the whole night where it is null. */
  scenario: Schema.NullOr(Schema.Struct({ suite: Schema.String, name: Schema.String })),
  verdict: JudgedVerdict,
  /** Absent in reports of older versions. */
  tier: Schema.optionalKey(Tier),
  /** With their units, for a person. */
  now: Schema.String,
  before: Schema.String,
  /** Increase of a duration or a cost, as a share: 0.97 is 97 % more. */
  change: Schema.optionalKey(Schema.Number),
  /** Number of latest nights, including this one, that `now` covers. */
  window: Schema.Int,
  /** When the first of these nights began: since then it is so. */
  since: Schema.String,
  /** Number of nights that `before` covers. */
  nights: Schema.Int,
  /** Failed trials of the scenario in the nights of `before`, of a pass rate; absent in reports of older versions. */
  failedBefore: Schema.optionalKey(Schema.Int),
  /** One sentence. */
  evidence: Schema.String,
  /** The least change for the worse that four of five such nights would have seen; null where none would. */
  detectable: Schema.NullOr(Schema.String),
  /** Of a whole night that is worse or unusual: the scenarios that added most, five at most, the greatest first. */
  contributors: Schema.optionalKey(Schema.Array(Contributor)),
  /** Since when the nights say that it is worse, where it is. */
  onset: Schema.optionalKey(Onset)
})
export type JudgedRow = typeof JudgedRow.Type

/** Judgment of a night by the previous nights: the whole night's figures first, then the scenarios in their order. */
export const NightJudgement = Schema.Struct({
  /** `regressed` when any row is; else `improved` when any row is. */
  verdict: JudgedVerdict,
  /** The most serious tier of any row; absent in reports of older versions. */
  tier: Schema.optionalKey(Tier),
  /** Maximum number of nights that it was compared with. */
  nights: Schema.Int,
  /** Which nights were not counted, and how many. */
  passedOver: Schema.Array(Schema.Struct({ why: Schema.String, nights: Schema.Int })),
  /** In what tonight differs from the night before, though it was compared with it: `tool 0.1.0, was 0.0.9`. */
  differences: Schema.Array(Schema.String),
  rows: Schema.Array(JudgedRow)
})
export type NightJudgement = typeof NightJudgement.Type

/** A quarantined scenario that has had enough clean trials to leave the quarantine. */
export const ReleaseProposal = Schema.Struct({
  suite: Schema.String,
  scenario: Schema.String,
  owner: Schema.String,
  /** Clean trials since it was quarantined, one after the other until now. */
  clean: Schema.Int,
  /** With what confidence it fails less often than what share: one sentence. */
  evidence: Schema.String
})
export type ReleaseProposal = typeof ReleaseProposal.Type
