import * as Money from "@webagent/cli/Money"
import type { Limits } from "@webagent/report/RunReport"
import { counted, duration } from "@webagent/cli/Text"

/** The limits of time, money, requests and extra trials in words: `30 min 00 s, 5.00 USD`; empty where there are none. */
export const of = ({ confirm, cost_usd, requests, time_ms }: Limits): string =>
  [
    ...(time_ms === undefined ? [] : [duration(time_ms)]),
    ...(cost_usd === undefined ? [] : [Money.shown(cost_usd)]),
    ...(requests === undefined ? [] : [counted(requests, "request")]),
    ...(confirm === undefined ? [] : [counted(confirm, "extra trial")])
  ].join(", ")
