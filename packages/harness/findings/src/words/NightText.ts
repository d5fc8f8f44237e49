import * as Money from "@webagent/cli/Money"
import { type Night, plannedOf } from "@webagent/nights/Night"
import type { Finding } from "@webagent/report/Finding"
import { nightTitleOf } from "./Title.ts"

/** The title of a night of a history, without its status. */
export const titleOf = ({
  findings,
  partial,
  scenarios
}: Pick<Night, "partial" | "scenarios"> & { readonly findings: ReadonlyArray<Finding> }): string => {
  const ran = scenarios.filter(({ verdict }) => verdict !== "skipped")
  return nightTitleOf({
    findings,
    ran: ran.length,
    passed: ran.filter(({ verdict }) => verdict === "passed").length,
    isCutShort: partial?._tag === "Limit" || partial?._tag === "LostShard"
  })
}

/** The part of a night's cost that its extra trials had, in USD. */
export const confirmCostOf = (night: Night): string => Money.difference(night.cost_usd, plannedOf(night).cost_usd)

/** The cost of a night, and the part that its extra trials cost: `0.54 USD, 0.20 to confirm`. */
export const costText = (night: Night): string => {
  const confirm_usd = confirmCostOf(night)
  const part = Money.isMore(confirm_usd, "0") ? `, ${Money.rounded(confirm_usd).replace(" USD", "")} to confirm` : ""
  return `${Money.rounded(night.cost_usd)}${part}`
}
