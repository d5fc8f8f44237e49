import { isBad, type ScenarioResult } from "@webagent/report/RunReport"

/** What has changed between two runs of the same suites. */
export interface Changes {
  /** Bad now, and not before, or not there before. */
  readonly broke: ReadonlyArray<ScenarioResult>
  /** Bad now as before; `isNew` says whether for another reason. */
  readonly stillBad: ReadonlyArray<{ readonly result: ScenarioResult; readonly isNew: boolean }>
  /** Bad before, and not now. */
  readonly fixed: ReadonlyArray<ScenarioResult>
}

const keyOf = ({ name, suite }: ScenarioResult) => JSON.stringify([suite, name])

/** Why a scenario is bad, without what differs each time. */
const reasonOf = ({ failure, trials, verdict }: ScenarioResult) =>
  JSON.stringify([
    verdict,
    failure && [failure.kind, failure.message, failure.expected, failure.actual, failure.diff],
    trials.map(({ breaches, leakedBrowsers }) => [breaches.map(({ invariant }) => invariant), leakedBrowsers.length])
  ])

/** What has changed since the results before, in the order of the results now. */
export const between = (before: ReadonlyArray<ScenarioResult>, now: ReadonlyArray<ScenarioResult>): Changes => {
  const old = new Map(before.map((result) => [keyOf(result), result]))
  const wasBad = (result: ScenarioResult) => {
    const same = old.get(keyOf(result))
    return same !== undefined && isBad(same) ? same : undefined
  }
  const bad = now.filter(isBad)
  return {
    broke: bad.filter((result) => wasBad(result) === undefined),
    stillBad: bad.flatMap((result) => {
      const same = wasBad(result)
      return same === undefined ? [] : [{ result, isNew: reasonOf(same) !== reasonOf(result) }]
    }),
    // what was skipped, or is no longer there, is not known to be fixed
    fixed: now.filter((result) => result.verdict === "passed" && !isBad(result) && wasBad(result) !== undefined)
  }
}
