import { isBad, type ScenarioResult } from "@webagent/report/RunReport"
import type { Style } from "@webagent/cli/Style"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { scenarioKey } from "../../run/RunnerOptions.ts"

const keyOf = ({ name, suite }: ScenarioResult) => scenarioKey(suite, name)

/** The reason why a scenario didn't pass, without the parts that differ in every run. */
const reasonOf = ({ failure, trials, verdict }: ScenarioResult) =>
  JSON.stringify([
    verdict,
    failure && [failure.kind, failure.message, failure.expected, failure.actual, failure.diff],
    trials.map(({ breaches, leakedBrowsers }) => [breaches.map(({ invariant }) => invariant), leakedBrowsers.length])
  ])

// in the order in which they are shown
const words = ["fixed", "still failing", "other failure", "fails", "broke"] as const

/**
 * Lists the changes since the previous results, undefined for the first results: a scenario that fails for a new reason
 * is explained, and each other change has one line.
 */
export const lines = (
  before: ReadonlyArray<ScenarioResult> | undefined,
  now: ReadonlyArray<ScenarioResult>,
  { explain, style }: { readonly style: Style; readonly explain: (result: ScenarioResult) => ReadonlyArray<string> }
): ReadonlyArray<string> => {
  const old = new Map(before?.map((result) => [keyOf(result), result]))
  const wordFor = (result: ScenarioResult): (typeof words)[number] | undefined => {
    const was = old.get(keyOf(result))
    const wasBad = was !== undefined && isBad(was)
    // what was skipped is not known to be fixed
    if (!isBad(result)) return wasBad && result.verdict === "passed" ? "fixed" : undefined
    if (!wasBad) return before === undefined ? "fails" : "broke"
    return reasonOf(was) === reasonOf(result) ? "still failing" : "other failure"
  }
  const changes = Map.groupBy(now, wordFor)
  return words.flatMap((word) =>
    (changes.get(word) ?? []).flatMap((result) => {
      const explained = word === "fixed" || word === "still failing" ? [] : explain(result)
      const mark = word === "fixed" ? style.good : style.bad
      // what failed begins with its own title; what leaked has none
      return explained.length > 0
        ? [`  ${mark(word)}`, ...explained]
        : [`  ${mark(word.padEnd(13))}  ${scenarioTitle(result)}`]
    })
  )
}
