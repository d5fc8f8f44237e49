import type { ScenarioName } from "@webagent/report/Comparison"
import { type Finding, ofSeverity } from "@webagent/report/Finding"
import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import { grouped } from "./Grouping.ts"
import { newsFirst, worstFirst } from "./Order.ts"
import { withPeople } from "./People.ts"
import { regressions, runFindings, runNotes } from "./RunFindings.ts"
import { scenarioFindings } from "./ScenarioFindings.ts"
import { isOf } from "./Tolerance.ts"
import { toleratedNotes } from "./Tolerated.ts"
import { unusualFigures, warnings } from "./Warnings.ts"

const isFailing = ({ kind: { _tag } }: Finding) => _tag === "Failed" || _tag === "Flaky"

/**
 * Everything that a person should know about a run: errors, which fail it, then warnings, then notes. No other place
 * decides that.
 *
 * - Always an error: a broken invariant, a leak, and a figure that regressed.
 * - A scenario that failed all its trials is an error. One that failed some is, unless at least five earlier runs show that
 *   it's as frequent as usual. If a history has five runs, a new scenario that passed some trials is a warning.
 * - A quarantine excuses a scenario until it expires; an expired one is an error.
 * - An outage of a minute or more is an error, and so is one that was not over at the end. A shorter one is a note.
 * - Scenarios that a limit kept from running are a note. But a scenario that finished no trial in time is an error.
 * - A run with no results, or too few, is an error. A shard is judged with the other shards instead.
 */
export const findingsOf = (report: RunReport): ReadonlyArray<Finding> => {
  const singles = scenarioFindings(report)
  const ofScenarios = singles.map(({ finding }) => finding)
  // a scenario that failed explains its pass rate, and all of them explain the whole run's
  const regressed = regressions(
    report,
    (row) =>
      row.figure === "pass rate" &&
      (row.scenario === null
        ? ofScenarios.some(isFailing)
        : ofScenarios.some(({ scenarios: [first] }) => first?.comparison !== undefined && isOf(first, row)))
  )
  const errors = [...ofScenarios, ...regressed, ...runFindings(report)].toSorted(worstFirst).toSorted(newsFirst)
  const unusual = unusualFigures(report)
  const notes = runNotes(report)
  return withPeople(report, [
    ...grouped(report, singles, errors),
    ...warnings(report, unusual),
    ...notes.first,
    ...toleratedNotes(report, unusual),
    ...notes.last
  ])
}

/** The findings that a report carries, so that all its readers show the same; computed now if it carries none. */
export const of = (report: RunReport): ReadonlyArray<Finding> => report.findings ?? findingsOf(report)

const isStop = ({ kind }: Finding) => kind._tag === "Incomplete" && kind.why._tag === "Stopped"

/** The errors of a run that a person has to look at. A stop isn't one, because the person who stopped the run knows. */
export const errorsOf = (report: RunReport): ReadonlyArray<Finding> =>
  ofSeverity(of(report), "error").filter((finding) => !isStop(finding))

/** The warnings of a run. */
export const warningsOf = (report: RunReport): ReadonlyArray<Finding> => ofSeverity(of(report), "warning")

/** The notes of a run. */
export const notesOf = (report: RunReport): ReadonlyArray<Finding> => ofSeverity(of(report), "note")

/** True if a finding is about the results of a scenario's trials, and not about a rule that applies regardless of them. */
export const isVerdict = ({ scenarios }: Finding): boolean => scenarios.some(({ verdict }) => verdict !== undefined)

/** Returns the result of a scenario by its name. */
export const resultsByName = ({ results }: RunReport) => {
  const byName = new Map(results.map((result) => [JSON.stringify([result.suite, result.name]), result]))
  return (scenario: ScenarioName | undefined): ScenarioResult | undefined =>
    scenario && byName.get(JSON.stringify([scenario.suite, scenario.name]))
}

/** The errors of each scenario that has any. */
export const errorsByResult = (report: RunReport): ReadonlyMap<ScenarioResult, ReadonlyArray<Finding>> => {
  const resultOf = resultsByName(report)
  const pairs = errorsOf(report).flatMap((finding) =>
    // a run with too few results is no failure of a scenario
    finding.kind._tag === "Incomplete"
      ? []
      : finding.scenarios.flatMap((scenario) => {
          const result = resultOf(scenario)
          return result === undefined ? [] : [{ result, finding }]
        })
  )
  const groups = Map.groupBy(pairs, ({ result }) => result)
  return new Map([...groups].map(([result, all]) => [result, all.map(({ finding }) => finding)]))
}
