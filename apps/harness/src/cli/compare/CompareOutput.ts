import { type Night, NightFingerprint } from "@webagent/nights/Night"
import { Conclusion } from "@webagent/findings/NightChanges"
import type { NightComparison } from "@webagent/nights/NightComparison"
import { Comparison } from "@webagent/report/Comparison"
import { Partial } from "@webagent/report/Partial"
import * as Schema from "effect/Schema"

const Compared = Schema.Struct({
  id: Schema.String,
  startedAt: Schema.String,
  ...NightFingerprint.fields,
  partial: Schema.optionalKey(Partial),
  report: Schema.optionalKey(Schema.String)
})

/** The output of `compare --json`. */
export const CompareOutput = Schema.Struct({
  ...Conclusion.fields,
  before: Compared,
  after: Compared,
  /** Number of scenarios that both nights have. */
  scenarios: Schema.Int,
  /** Number of trials that have the same seed in both nights. */
  pairs: Schema.Int,
  differences: Schema.Array(Schema.String),
  rows: Schema.Array(Comparison)
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
