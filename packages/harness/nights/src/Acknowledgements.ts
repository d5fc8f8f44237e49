import type { Acknowledgement } from "@webagent/report/Acknowledgement"
import type { ScenarioName } from "@webagent/report/Comparison"
import { isOfRun } from "@webagent/report/Finding"
import type { Onset } from "@webagent/report/Onset"
import type { RunReport } from "@webagent/report/RunReport"
import { keyOf, type Night, targetOf } from "./Night.ts"
import type { Acknowledged, Past } from "./Past.ts"

const each = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyArray<A> => [
  ...new Map(all.map((one) => [key(one), one])).values()
]

const keyIn = (scenario: ScenarioName | null) => (scenario === null ? "" : keyOf(scenario.suite, scenario.name))

/** Kinds of problems of a whole run without a figure, such as an outage. */
const kindsOf = ({ findings = [] }: Night): ReadonlyArray<string> =>
  findings.flatMap(({ kind, scenarios, severity }) =>
    severity === "error" && isOfRun({ kind, scenarios }) && kind._tag !== "Regressed" ? [kind._tag] : []
  )

/** The scenarios with a problem in a night, each once, and null if the whole night had one. */
export const problemsOf = (night: Night): ReadonlyArray<ScenarioName | null> => {
  const { findings, regressed = [], scenarios } = night
  const problems =
    findings === undefined
      ? scenarios
          .filter(({ breaches, leaks, verdict }) => breaches + leaks > 0 || !["passed", "skipped"].includes(verdict))
          .map(({ name, suite }) => ({ suite, name }))
      : findings
          .filter(({ severity }) => severity === "error")
          .flatMap(({ scenarios }) => scenarios.map(({ name, suite }) => ({ suite, name })))
  return each([...problems, ...regressed.map(({ scenario }) => scenario), ...kindsOf(night).map(() => null)], keyIn)
}

/** A problem that a run may have acknowledged: since when it has been there, and which scenario it is of. */
interface Problem {
  readonly scenario: ScenarioName | null
  readonly onsets: ReadonlyArray<Onset | undefined>
}

const wordOf = ({ at, note, owner, until }: Acknowledged): Acknowledgement => ({
  owner,
  at,
  ...(until === undefined ? {} : { until }),
  ...(note === undefined ? {} : { note })
})

/** Finds who is working on problems of whole runs: an acknowledgement holds while each night since has had the same kind. */
const ofKinds = (
  all: ReadonlyArray<readonly [Acknowledged, Night]>,
  before: ReadonlyArray<Night>,
  today: string
): Readonly<Record<string, Acknowledgement>> =>
  Object.fromEntries(
    all.flatMap(([one, night]) => {
      const since = before.filter(({ startedAt }) => startedAt > night.startedAt).map(kindsOf)
      return one.scenario !== undefined || (one.until !== undefined && today > one.until)
        ? []
        : kindsOf(night)
            .filter((kind) => since.every((kinds) => kinds.includes(kind)))
            .map((kind) => [kind, wordOf(one)] as const)
    })
  )

/** Finds the latest acknowledgement of a problem that still holds. */
const holding = (all: ReadonlyArray<readonly [Acknowledged, Night]>, { onsets, scenario }: Problem, today: string) => {
  const key = keyIn(scenario)
  const since = onsets
    .flatMap((onset) => onset?.since ?? [])
    .toSorted()
    .at(-1)
  const [latest] =
    all.findLast(
      ([one, night]) =>
        (one.until === undefined || today <= one.until) &&
        // what began after the night is another problem
        (since === undefined || since <= night.startedAt) &&
        (one.scenario === undefined ? problemsOf(night).some((its) => keyIn(its) === key) : keyIn(one.scenario) === key)
    ) ?? []
  return latest && wordOf(latest)
}

/**
 * A report in which each problem says who acknowledged it. An acknowledgement holds for a problem of its night until the
 * problem is over, or its last day has passed.
 */
export const mark = (report: RunReport, { acknowledged = [], nights }: Past): RunReport => {
  const { startedAt } = report.header
  const byId = new Map(nights.map((night) => [night.id, night]))
  const target = targetOf(report)
  const all = acknowledged
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .flatMap((one) => {
      const night = byId.get(one.night)
      const isBefore = night !== undefined && night.startedAt < startedAt && night.fingerprint.target === target
      return isBefore ? [[one, night] as const] : []
    })
  if (all.length === 0) return report
  const today = startedAt.slice(0, 10)
  const regressed = (report.judgement?.rows ?? []).filter(({ verdict }) => verdict === "regressed")
  // one without a problem has nothing to acknowledge
  const of = (scenario: ScenarioName | null, onsets: Problem["onsets"]) =>
    onsets.every((onset) => onset === undefined) ? undefined : holding(all, { scenario, onsets }, today)
  const onsetsOf = (scenario: ScenarioName | null) =>
    regressed.filter((row) => keyIn(row.scenario) === keyIn(scenario)).map(({ onset }) => onset)
  const ofRun = of(null, onsetsOf(null))
  const before = nights.filter((night) => night.startedAt < startedAt && night.fingerprint.target === target)
  const kinds = ofKinds(all, before, today)
  return {
    ...report,
    ...(ofRun === undefined ? {} : { acknowledged: ofRun }),
    ...(Object.keys(kinds).length === 0 ? {} : { acknowledgedKinds: kinds }),
    results: report.results.map((result) => {
      const { onset } = result
      const acknowledged = of(result, [onset?.trials, onset?.invariants, ...onsetsOf(result)])
      return acknowledged === undefined ? result : { ...result, acknowledged }
    })
  }
}
