import { nightTitleOf, passedText } from "@webagent/findings/words/Title"
import { verdictOf } from "@webagent/harness-api/NightCells"
import { usd } from "../../ui/format.ts"
import type { Night } from "./heat.ts"

const titledOf = ({ of }: Night) => {
  const verdicts = [...of.cells].flatMap((letter) => verdictOf(letter) ?? [])
  const ran = verdicts.filter((verdict) => verdict !== "skipped")
  return {
    findings: of.findings,
    ran: ran.length,
    passed: ran.filter((verdict) => verdict === "passed").length,
    isCutShort: of.partial?._tag === "Limit" || of.partial?._tag === "LostShard"
  }
}

/** The title of a night, without its status. */
export const titleOf = (night: Night): string => nightTitleOf(titledOf(night))

/** The number of passed scenarios of a night: `75 of 76 scenarios passed`. */
export const passedOf = (night: Night): string => passedText(titledOf(night))

/** The cost of a night, and the part of its confirm trials: `$0.54, $0.20 to confirm`. */
export const costOf = ({ of: { cost_usd, planned, target } }: Night): string => {
  const confirm = Number(cost_usd) - Number(planned.cost_usd)
  // differences of decimals are not exact
  const part = confirm > 1e-9 ? `, ${usd(confirm)} to confirm` : ""
  return `${usd(cost_usd)}${target === "simulated" ? " simulated" : ""}${part}`
}
