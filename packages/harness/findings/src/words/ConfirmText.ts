import type { Confirmation, RunReport } from "@webagent/report/RunReport"
import { counted } from "@webagent/cli/Text"
import * as SkipText from "./SkipText.ts"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"

const conclusionOf = ({ figure, outcome, skip }: Confirmation): string => {
  switch (outcome) {
    case "confirmed":
      return `${figure} is worse`
    case "not confirmed":
      return figure === "duration" ? "not slower compared with the other scenarios" : `${figure} does not look worse`
    case "undecided":
      return `not decided${skip === undefined ? "" : `: ${SkipText.text(skip)}`}`
  }
}

/** Summarizes the extra trials of a scenario: `8 of 20 extra trials passed: pass rate is worse`. */
export const text = (confirm: Confirmation): string => {
  const passed = confirm.trials.filter(({ verdict }) => verdict === "passed").length
  return `${passed} of ${counted(confirm.trials.length, "extra trial")} passed: ${conclusionOf(confirm)}`
}

/** Summarizes the extra trials of a run in one line; undefined if the run was not configured to have any. */
export const summary = ({ header, results }: RunReport): string | undefined => {
  const limit = header.limits.confirm
  if (limit === undefined) return undefined
  const all = results.flatMap((result) =>
    result.confirm === undefined ? [] : [{ ...result, confirm: result.confirm }]
  )
  if (all.length === 0) return "no scenario was suspicious"
  const trials = all.reduce((sum, { confirm }) => sum + confirm.trials.length, 0)
  const of = (wanted: Confirmation["outcome"]) => all.filter(({ confirm }) => confirm.outcome === wanted)
  const [worse, well, open] = [of("confirmed"), of("not confirmed"), of("undecided")]
  const parts = [
    ...(worse.length === 0 ? [] : [`${worse.length} got worse (${worse.map(scenarioTitle).join(", ")})`]),
    ...(well.length === 0 ? [] : [`${well.length} didn't${worse.length === 0 ? " get worse" : ""}`]),
    ...(open.length === 0 ? [] : [`${open.length} not decided`])
  ]
  return `${trials} of at most ${counted(limit, "extra trial")} on ${counted(all.length, "suspicious scenario")}: ${parts.join(", ")}`
}
