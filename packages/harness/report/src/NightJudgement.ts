import * as Schema from "effect/Schema"
import { Comparison, JudgedVerdict } from "./Comparison.ts"
import { RunRevision } from "./Revision.ts"
import { StoredIneligibility } from "./StoredSentences.ts"
import { UsualUsage } from "./UsualUsage.ts"

/** Judgment of a run by earlier ones: the whole run's figures first, then the scenarios in their order. */
export const NightJudgement = Schema.Struct({
  /** `regressed` if any row is; otherwise `improved` if any row is. */
  verdict: JudgedVerdict,
  /** Maximum number of runs that it was compared with. */
  nights: Schema.Int,
  /** Which earlier runs were not counted, and how many. */
  passedOver: Schema.Array(Schema.Struct({ why: StoredIneligibility, nights: Schema.Int })),
  /** Differences from the run before, though it was compared with it: `tool 0.1.0, was 0.0.9`. */
  differences: Schema.Array(Schema.String),
  /** The run before and its code, if that is known. */
  previous: Schema.optionalKey(RunRevision),
  /** Usage of the earlier runs; absent if there are fewer than five, and of a partial run. */
  usual: Schema.optionalKey(UsualUsage),
  rows: Schema.Array(Comparison)
})
export type NightJudgement = typeof NightJudgement.Type

/** A quarantined scenario that has had enough clean trials to leave the quarantine. */
export const ReleaseProposal = Schema.Struct({
  suite: Schema.String,
  scenario: Schema.String,
  owner: Schema.String,
  /** Clean trials since it was quarantined, one after the other until now. */
  clean: Schema.Int,
  /** It fails in a smaller share of trials than this, with a confidence of 95 %. */
  failsBelow: Schema.Number
})
export type ReleaseProposal = typeof ReleaseProposal.Type
