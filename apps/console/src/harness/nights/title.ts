import { nightTitleOf, passedText } from "@webagent/findings/words/Title"
import { verdictOf } from "@webagent/harness-api/NightCells"
import { costText } from "../state/cost.ts"
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

/** The cost of a night of the list. */
export const costOf = ({ of: { cost_usd, planned, target } }: Night): string =>
  costText(cost_usd, Number(cost_usd) - Number(planned.cost_usd), target)
