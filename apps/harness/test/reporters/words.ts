import * as Findings from "@webagent/findings/Findings"
import { describe } from "@webagent/findings/words/FindingText"
import type { FindingKind } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"

/** The words of the first finding of a kind, about a scenario if one is named. */
export const textOf = (report: RunReport, tag: FindingKind["_tag"], name?: string) => {
  const finding = Findings.of(report).find(
    ({ kind, scenarios }) => kind._tag === tag && (name === undefined || scenarios.some((one) => one.name === name))
  )
  if (finding === undefined) throw new Error(`no finding ${tag} of ${name ?? "the run"}`)
  return describe(finding)
}
