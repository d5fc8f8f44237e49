import type { Night } from "@webagent/nights/Night"
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

/** `75 of 76 passed`: the scenarios of a night. */
export const passedText = ({ scenarios }: Pick<Night, "scenarios">): string =>
  `${scenarios.filter(({ verdict }) => verdict === "passed").length} of ${scenarios.length} passed`
