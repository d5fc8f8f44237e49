import * as Money from "@webagent/cli/Money"
import { counted } from "@webagent/cli/Text"
import type { InterruptedTrials } from "@webagent/report/RunReport"

/** Describes their cost: `cost of 2 interrupted trials unknown: charged 0.50 USD, its declared budget`. */
export const text = ({ most_usd, trials }: InterruptedTrials): string =>
  `cost of ${counted(trials, "interrupted trial")} unknown: ${
    most_usd === null ? "no budget bounds it" : `charged ${Money.shown(most_usd)}, its declared budget`
  }`
