import type { Finding } from "@webagent/report/Finding"
import { counted } from "@webagent/cli/Text"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import { dated, listed } from "./Names.ts"
import * as OutageText from "./OutageText.ts"
import * as SkipText from "./SkipText.ts"

/** A note in a sentence; undefined for a finding that is none. */
export const note = ({ kind, scenarios }: Finding): string | undefined => {
  const about = (text: string, names = dated(scenarios)) => `${counted(scenarios.length, "scenario")} ${text}: ${names}`
  switch (kind._tag) {
    case "ServiceAway":
      return OutageText.sentence(kind.outage)
    case "Flaky":
      return kind.isUsual
        ? about("did not pass in every trial, as usual", listed(scenarios.map(scenarioTitle)))
        : about(
            "did not pass in every trial, unlike in the compared nights; one such night is no evidence of a regression"
          )
    case "Quarantined":
      return about("failed, and is in quarantine")
    case "PartlyScored":
      return about("could not be scored in every trial")
    default:
      return undefined
  }
}

/** Scenarios that were not run, or not with all their trials, and the reason; undefined for any other finding. */
export const notRun = ({ kind, scenarios }: Finding): string | undefined => {
  if (kind._tag !== "NotRun") return undefined
  const whole = scenarios.length - kind.partly
  const parts = [
    ...(whole === 0 ? [] : [`${counted(whole, "scenario")} ${whole === 1 ? "was" : "were"} not run`]),
    ...(kind.partly === 0 ? [] : [`${counted(kind.partly, "scenario")} not with all trials`])
  ]
  return `${parts.join(", ")}: ${kind.skip === null ? "no reason given" : SkipText.text(kind.skip)}`
}
