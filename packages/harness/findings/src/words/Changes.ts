import { counted, duration, signedPercent } from "@webagent/cli/Text"
import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { Change, Conclusion, Reason } from "../NightChanges.ts"
import { amount, percent, shareOf } from "./Amounts.ts"
import * as CauseText from "./CauseText.ts"
import * as PartialText from "./PartialText.ts"

const trials = (value: NonNullable<Change["before"]>, isBrief: boolean): string => {
  if (value._tag === "Duration") return duration(value.milliseconds)
  if (value._tag !== "Trials") return amount(value)
  const { leaks, passed, scored, verdict } = value
  if (isBrief) return scored === 0 ? "not scored" : `${passed} of ${scored}`
  if (scored === 0) return verdict === "infra" ? "interrupted" : "not scored"
  return `${passed} of ${scored} trials passed${leaks === 0 ? "" : `, ${counted(leaks, "leaked browser")}`}`
}

/** Additional information about a change: how much it is, and whether it may be chance. */
const noteOf = ({ change, isCertain, kind, others }: Change): string | undefined => {
  if (others !== undefined) return `failed in ${others.failed} of ${others.of} other nights`
  const chance = isCertain ? [] : ["may be chance"]
  if (change !== undefined) return [signedPercent(change), ...chance].join(", ")
  return kind === "newly flaky" ? chance[0] : undefined
}

/** A scenario that differs: `shop › pays: 3 of 5 trials passed, was 5 of 5 (may be chance)`. */
export const line = (change: Change): string => {
  const { before, now } = change
  const note = noteOf(change)
  return `${scenarioTitle(change)}: ${trials(now, false)}, was ${before === null ? "not there" : trials(before, true)}${note === undefined ? "" : ` (${note})`}`
}

/** The cause of a failure; of a fixed scenario, that of the first night. */
export const cause = ({ cause: its, kind }: Change): string | undefined =>
  its === undefined ? undefined : `${kind === "fixed" ? "was: " : ""}${CauseText.text(its)}`

/** A reason for the verdict on two nights: `1 newly failing scenario`, `duration +170 %`. */
export const reason = (reason: Reason): string => {
  switch (reason._tag) {
    case "Scenarios": {
      const { count, kind } = reason
      if (kind === "code changed") return `${counted(count, "failing scenario")} with changed code`
      if (kind === "passes less often" || kind === "passes more often")
        return `${counted(count, "scenario")} ${count === 1 ? "passes" : "pass"} ${kind === "passes less often" ? "less" : "more"} often`
      return `${count} ${kind} ${count === 1 ? "scenario" : "scenarios"}`
    }
    case "Whole": {
      const { before, change, figure, now } = reason.comparison
      if (change !== undefined) return `${figure} ${signedPercent(change)}`
      const [is, was] = [now, before].map((value) =>
        value === null ? "" : figure === "pass rate" ? percent(shareOf(value)) : amount(value)
      )
      return `${figure} ${is}, was ${was}`
    }
    case "Partial":
      return `the ${reason.night} night is partial: ${PartialText.text(reason.partial)}`
  }
}

/** Summarizes a comparison in one line: `worse: 1 newly failing scenario; also 1 fixed scenario`. */
export const conclusion = ({ also, because, verdict }: Pick<Conclusion, "also" | "because" | "verdict">): string => {
  const why = because.length === 0 ? "" : `: ${because.map(reason).join(", ")}`
  return `${verdict}${why}${also.length === 0 ? "" : `; also ${also.map(reason).join(", ")}`}`
}
