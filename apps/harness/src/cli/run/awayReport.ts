import { countsOf, type RunHeader, type RunReport, unrun } from "@webagent/report/RunReport"
import type { Need } from "@webagent/scenario"
import type * as Plan from "../../run/Plan.ts"
import { factsOf, unserved } from "../../run/ScenarioRun.ts"

/** A run whose service was away before the first trial. */
interface AwayRun {
  readonly header: RunHeader
  readonly plan: ReadonlyArray<Plan.Planned>
  /** The reason why the target doesn't support a need; undefined if it does. */
  readonly lacks: (need: Need) => string | undefined
  /** The reason why the service was away, without a period. */
  readonly why: string
}

/** Creates the report of a run whose service was away before the first trial. */
export const awayReport = ({ header, lacks, plan, why }: AwayRun): RunReport => {
  const results = plan.map((planned) =>
    unrun(factsOf(planned), 0, unserved(planned.scenario, lacks) ?? { _tag: "ServiceAway", waited_ms: 0 })
  )
  return {
    format: 3,
    header,
    duration_ms: 0,
    interrupted: false,
    counts: countsOf(results),
    cost_usd: "0",
    results,
    outages: [{ from: header.startedAt, to: null, why }],
    breaches: []
  }
}
