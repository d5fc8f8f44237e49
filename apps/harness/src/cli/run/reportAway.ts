import { conclude } from "@webagent/report/Conclusion"
import { countsOf, type RunHeader, type RunReport, unrun } from "@webagent/report/RunReport"
import type { Need } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { NightHistory } from "../../run/NightHistory.ts"
import type * as Plan from "../../run/Plan.ts"
import { factsOf, unserved } from "../../run/ScenarioRun.ts"
import * as Notifications from "../Notifications.ts"
import * as Reporting from "../reports/Reporting.ts"

/** A run whose service was away before the first trial. */
interface AwayRun {
  readonly header: RunHeader
  readonly plan: ReadonlyArray<Plan.Planned>
  /** The reason why the target doesn't support a need; undefined if it does. */
  readonly lacks: (need: Need) => string | undefined
  readonly history: NightHistory
  readonly reportingOptions: Parameters<typeof Reporting.start>[0]
  /** The error that names the cause, a sentence in its first line. */
  readonly why: string
}

/** The report of a run whose service was away before the first trial. */
const awayReport = ({ header, lacks, plan, why }: Pick<AwayRun, "header" | "lacks" | "plan" | "why">): RunReport => {
  const results = plan.map((planned) =>
    unrun(factsOf(planned), 0, unserved(planned.scenario, lacks) ?? { _tag: "ServiceAway", waited_ms: 0 })
  )
  return {
    format: 2,
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

/** Reports, records and notifies that the service was away when a night began. No trial has run. */
export const reportAway = Effect.fnUntraced(function* (run: AwayRun) {
  const { header, history, reportingOptions, why } = run
  const [sentence = ""] = why.split(/[.:]?\s*\n|[.:] /u)
  const report = conclude(history.conclude(awayReport({ ...run, why: sentence })))
  const reporting = yield* Reporting.start(reportingOptions)
  yield* reporting.emit({ _tag: "RunStarted", header })
  yield* reporting.emit({ _tag: "RunFinished", report })
  const written = yield* Effect.exit(reporting.finish)
  const recorded = yield* Effect.exit(Effect.andThen(history.record(report, reporting.directory), reporting.end))
  yield* reporting.show(Exit.isSuccess(written) && Exit.isSuccess(recorded))
  yield* Reporting.both(written, recorded)
  yield* Notifications.notify(reportingOptions.options, report, { nights: history.nights, folder: reporting.directory })
}, Effect.uninterruptible)
