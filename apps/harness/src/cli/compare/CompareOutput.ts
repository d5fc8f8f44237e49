import { type Night, NightFingerprint } from "@webagent/nights/Night"
import { type Conclusion, kinds } from "@webagent/nights/NightChanges"
import type { NightComparison } from "@webagent/nights/NightComparison"
import { JudgedRow } from "@webagent/report/NightJudgement"
import * as Schema from "effect/Schema"

const Compared = Schema.Struct({
  id: Schema.String,
  startedAt: Schema.String,
  ...NightFingerprint.fields,
  partial: Schema.optionalKey(Schema.String),
  report: Schema.optionalKey(Schema.String)
})

const Change = Schema.Struct({
  kind: Schema.Literals(kinds),
  suite: Schema.String,
  name: Schema.String,
  now: Schema.String,
  before: Schema.String,
  /** Whether there is evidence. If not, the change may be chance. */
  isCertain: Schema.Boolean,
  error: Schema.optionalKey(Schema.String),
  note: Schema.optionalKey(Schema.String)
})

/** What `compare --json` prints. */
export const CompareOutput = Schema.Struct({
  verdict: Schema.Literals(["worse", "better", "no difference seen", "cannot tell"]),
  /** What the verdict rests on. */
  because: Schema.Array(Schema.String),
  /** What got better in a night that is worse. */
  also: Schema.Array(Schema.String),
  /** What would say more: how many nights the history has, how many are enough, and how many trials of each scenario. */
  needs: Schema.Struct({
    nights: Schema.optionalKey(Schema.Int),
    /** Absent where nights differ too much for any number to help. */
    enough: Schema.optionalKey(Schema.Int),
    trials: Schema.optionalKey(Schema.Int)
  }),
  before: Compared,
  after: Compared,
  changes: Schema.Array(Change),
  /** How many scenarios both nights have. */
  scenarios: Schema.Int,
  /** How many trials have the same seed in both. */
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
