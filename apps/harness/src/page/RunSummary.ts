import type { RunSummary } from "@webagent/harness-api"
import * as Findings from "@webagent/findings/Findings"
import { statusOf } from "@webagent/report/Finding"
import type { RunReport } from "@webagent/report/RunReport"

/** The row of a run in a list, as its own report tells it. */
export type Summary = Omit<RunSummary, "night" | "isOurs">

/** The row of a finished run. */
export const finished = (id: string, report: RunReport): Summary => {
  const { cost_usd, counts, duration_ms, header, partial, results } = report
  const findings = Findings.of(report)
  const { selection, startedAt, target } = header
  return {
    id,
    state: "finished",
    startedAt,
    duration_ms,
    status: statusOf(findings),
    findings: findings.filter(({ severity }) => severity !== "note"),
    counts,
    scenarios: results.length,
    cost_usd,
    target: { name: target.name, address: target.address, simulated: target.simulated },
    selection: selection ?? null,
    partial: partial ?? null
  }
}
