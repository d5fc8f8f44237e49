import { type Night, NightFingerprint } from "@webagent/nights/Night"
import { type Conclusion, kinds } from "@webagent/nights/NightChanges"
import type { NightComparison } from "@webagent/nights/NightComparison"
import { JudgedRow } from "@webagent/report/NightJudgement"
import { Partial } from "@webagent/report/Partial"
import * as Schema from "effect/Schema"

const Compared = Schema.Struct({
  id: Schema.String,
  startedAt: Schema.String,
  ...NightFingerprint.fields,
  partial: Schema.optionalKey(Partial),
  report: Schema.optionalKey(Schema.String)
})

const Change = Schema.Struct({
  kind: Schema.Literals(kinds),
  suite: Schema.String,
  name: Schema.String,
  now: Schema.String,
  before: Schema.String,
  /** True if there is evidence. Otherwise, the change may be chance. */
  isCertain: Schema.Boolean,
  error: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String)
})

/** The output of `compare --json`. */
export const CompareOutput = Schema.Struct({
  verdict: Schema.Literals(["worse", "better", "no difference seen", "cannot tell"]),
  /** The evidence for the verdict. */
  because: Schema.Array(Schema.String),
  /** Improvements in a night that is worse overall. */
  also: Schema.Array(Schema.String),
  /**
   * The additional data that would make the verdict more certain: the number of nights in the history, the number that
   * is enough, and the number of trials per scenario.
   */
  needs: Schema.Struct({
    nights: Schema.optionalKey(Schema.Int),
    /** Absent where nights differ too much for any number to help. */
    enough: Schema.optionalKey(Schema.Int),
    trials: Schema.optionalKey(Schema.Int)
  }),
  before: Compared,
  after: Compared,
  changes: Schema.Array(Change),
  /** Number of scenarios that both nights have. */
  scenarios: Schema.Int,
  /** Number of trials that have the same seed in both nights. */
  pairs: Schema.Int,
  differences: Schema.Array(Schema.String),
  rows: Schema.Array(JudgedRow)
}).annotate({ identifier: "CompareOutput" })

/** A comparison for a program. */
export const of = ({
  a,
  b,
  comparison,
  conclusion
}: {
  readonly a: Night
  readonly b: Night
  readonly comparison: NightComparison
  readonly conclusion: Conclusion
}): typeof CompareOutput.Type => {
  const { differences, pairs, rows, scenarios } = comparison
  const { also, because, changes, needs, verdict } = conclusion
  const night = ({ fingerprint, id, partial, report, startedAt }: Night) => ({
    id,
    startedAt,
    ...fingerprint,
    ...(partial === undefined ? {} : { partial }),
    ...(report === undefined ? {} : { report })
  })
  return {
    verdict,
    because,
    also,
    needs,
    before: night(a),
    after: night(b),
    changes,
    scenarios,
    pairs,
    differences,
    rows
  }
}
