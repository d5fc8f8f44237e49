import type { CompareOutput } from "@webagent/harness-api"
import type { Conclusion } from "@webagent/findings/NightChanges"
import type { Night } from "@webagent/nights/Night"
import type { NightComparison } from "@webagent/nights/NightComparison"

export { CompareOutput } from "@webagent/harness-api"

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
}): CompareOutput => {
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
