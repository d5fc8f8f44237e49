import * as Money from "@webagent/cli/Money"
import { counted, duration, number } from "@webagent/cli/Text"
import type { RunReport } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import { confirming } from "@webagent/report/Usage"

/** A figure of a run, and its part that confirm trials used: `0.54 USD simulated`, `0.20 of it to confirm`. */
interface Used {
  readonly all: string
  readonly confirm?: string
}

/** Usage of a run. */
export const of = (report: RunReport): Readonly<Record<"requests" | "time" | "cost", Used>> => {
  const { cost_usd, counts, duration_ms, header, leftovers = [] } = report
  const part = confirming(report)
  const money = `${Money.rounded(cost_usd)}${header.target.simulated ? " simulated" : ""}${leftovers.some(isOpen) ? " so far" : ""}`
  const some = (all: string, used: string | undefined, pronoun = "it"): Used =>
    used === undefined ? { all } : { all, confirm: `${used} of ${pronoun} to confirm` }
  return {
    requests: some(
      counted(counts.requests, "request"),
      part === undefined || part.requests === 0 ? undefined : number(part.requests),
      "them"
    ),
    time: some(
      duration(duration_ms),
      part === undefined || part.duration_ms === 0 ? undefined : duration(part.duration_ms)
    ),
    cost: some(
      money,
      part === undefined || part.cost_usd === "0" ? undefined : Money.rounded(part.cost_usd).replace(" USD", "")
    )
  }
}

/** `0.54 USD simulated, 0.20 of it to confirm`. */
export const text = ({ all, confirm }: Used): string => (confirm === undefined ? all : `${all}, ${confirm}`)

/** `36 trials + 10 to confirm`, with those that were planned and not run: `28 of 36 trials`. */
export const trials = (report: RunReport, unrun = 0): string => {
  const confirm = confirming(report)?.trials ?? 0
  const planned = report.counts.trials - confirm
  return `${unrun === 0 ? "" : `${number(planned)} of `}${counted(planned + unrun, "trial")}${confirm === 0 ? "" : ` + ${number(confirm)} to confirm`}`
}
