import { scenarioTitle } from "@webagent/report/ScenarioTitle"
import type { Forecast, Row } from "../../run/Forecast.ts"
import * as Money from "@webagent/cli/Money"
import * as Plan from "../../run/Plan.ts"
import type { Limits } from "@webagent/report/RunReport"
import * as LimitsText from "../../reporters/LimitsText.ts"
import { type Style } from "@webagent/cli/Style"
import { counted, cut, duration } from "@webagent/cli/Text"
import * as SkipText from "@webagent/findings/words/SkipText"

/** Options for formatting a plan. */
interface PlanTextOptions {
  readonly target: string
  /** Assumption about the target, because the plan sends no request to it. */
  readonly assumed: string | undefined
  /** True if everything that the target creates is free, regardless of budgets. */
  readonly isFree: boolean
  readonly concurrency: number
  readonly limits: Limits
  /** True if it is one shard of several. The limits then apply to this shard alone. */
  readonly isShard: boolean
  readonly columns: number
  readonly style: Style
  /** The command that runs it. */
  readonly next: string
}

const costOf = ({ candidate: { planned, worst_usd } }: Row, isFree: boolean): string =>
  isFree
    ? "-"
    : worst_usd === undefined
      ? "unbounded"
      : Plan.mayCost(planned) || worst_usd !== "0"
        ? Money.shown(worst_usd)
        : "-"

const line = (row: Row, { columns, isFree }: PlanTextOptions): string => {
  const { planned, open } = row.candidate
  const time = row.trial_ms === undefined ? "?" : duration(row.trial_ms)
  const head = `${String(open).padStart(6)}  ${time.padStart(10)}  ${costOf(row, isFree).padStart(12)}  `
  return `${head}${cut(scenarioTitle({ suite: planned.suite, name: planned.scenario.name }), columns - head.length)}`.trimEnd()
}

/** The rows grouped by why they will not run. */
const skipped = (rows: ReadonlyArray<Row>, certain: boolean, what: string, style: Style): ReadonlyArray<string> =>
  SkipText.grouped(
    rows.filter(({ skip }) => skip?.certain === certain),
    ({ skip }) => skip?.why
  ).map(([why, group]) => style.faint(`${String(group.length).padStart(6)}  ${what}: ${why}`))

/** The cost of extra trials in words that follow their number. */
const confirmCost = ({ confirm_usd, unbounded }: Forecast, { cost_usd, paidConfirm }: Limits): string => {
  if (paidConfirm === undefined && cost_usd === undefined) return ""
  if (cost_usd !== undefined) return confirm_usd === "0" ? "" : ", within the same limit of cost"
  const open = unbounded === 0 ? "" : `, and ${unbounded} that nothing bounds`
  return ` (${paidConfirm} per paid scenario: at most ${Money.shown(confirm_usd)}${open})`
}

/** A plan for a person: what would run, in which order, how long that is likely to take, and what it may cost at most. */
export const lines = (forecast: Forecast, options: PlanTextOptions): ReadonlyArray<string> => {
  const { concurrency, isFree, limits, style, target } = options
  const { expected_ms, longest_ms, rows, short, trials, unbounded, unknown, worst_usd } = forecast
  const run = rows.filter(({ skip }) => skip?.certain !== true)
  const within = LimitsText.of(limits)
  const known = unknown === 0 ? "" : `, ${unknown} of them ${unknown === 1 ? "is" : "are"} new`
  const time =
    expected_ms === undefined
      ? run.length === 0
        ? "no time"
        : `at most ${duration(longest_ms)} (no history)`
      : `about ${duration(expected_ms)}${known}`
  const { cost_usd } = limits
  const limited = cost_usd !== undefined && Money.isMore(worst_usd, cost_usd)
  const cost = isFree
    ? "no cost (simulated)"
    : limited
      ? `at most ${Money.shown(cost_usd)} by the limit, ${Money.shown(worst_usd)} without it`
      : `at most ${Money.shown(worst_usd)}${unbounded === 0 || cost_usd !== undefined ? "" : `, and ${unbounded} that nothing bounds`}`
  const total = [`${counted(run.length, "scenario")}, ${counted(trials, "trial")}`, time, cost]
  if (limits.confirm !== undefined) {
    total.push(`then up to ${counted(limits.confirm, "extra trial")}${isFree ? "" : confirmCost(forecast, limits)}`)
  }
  return [
    style.strong(`plan · ${target} · ${concurrency} at a time · nothing is sent`),
    ...(options.assumed === undefined ? [] : [style.faint(options.assumed)]),
    ...(within === "" ? [] : [`limits   ${within}${options.isShard ? " (of this shard only)" : ""}`]),
    ...(short && unknown < run.length
      ? ["order    new or changed first, then recent failures, then longest not run"]
      : []),
    "",
    ...(run.length === 0
      ? []
      : [style.faint("trials  each takes  cost at most  scenario"), ...run.map((row) => line(row, options)), ""]),
    ...skipped(rows, false, "may not run, if earlier ones use the limits up", style),
    ...skipped(rows, true, "not run", style),
    ...(rows.some(({ skip }) => skip !== undefined) ? [""] : []),
    total.join(" · "),
    // what is simulated needs a bound only where a limit of money asks for one
    ...(unbounded === 0 || (isFree && cost_usd === undefined)
      ? []
      : [`bound    declare budget: "0.50 USD" in the scenario, or pass --trial-budget 0.50`]),
    `next     ${options.next}`
  ]
}
