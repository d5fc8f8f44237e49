import * as Money from "@webagent/cli/Money"
import { counted, duration, number } from "@webagent/cli/Text"
import type { RunReport } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import { confirming } from "@webagent/report/Usage"
import type { UsualFigure } from "@webagent/report/UsualUsage"
import * as Shards from "../Shards.ts"
import { shards } from "./Names.ts"

/** A figure of planned trials compared with earlier runs: `as usual`, `1.8 times the usual 12 min`. */
interface Usual {
  readonly text: string
  /** True if it is far above the usual. */
  readonly isFar: boolean
}

/** A figure of a run, and its part that extra trials used: `0.54 USD simulated`, `0.20 of it to confirm`. */
interface Used {
  readonly all: string
  readonly confirm?: string
  /** The rest of the figure, which other runs have, too. Absent if the run was not compared. */
  readonly usual?: Usual
}

/** A figure of more than this many times the usual is far above it. */
const far = 1.5

const usually = (now: number, { high, low, median }: UsualFigure, format: (value: number) => string): Usual => {
  if ((now >= low && now <= high) || format(now) === format(median)) return { text: "as usual", isFar: false }
  return median > 0 && now > far * median
    ? { text: `${number(now / median)} times the usual ${format(median)}`, isFar: true }
    : { text: `usually ${format(median)}`, isFar: false }
}

const usd = (value: number): string => Money.rounded(value.toFixed(4))

/** Usage of a run. */
export const of = (report: RunReport): Readonly<Record<"requests" | "time" | "cost", Used>> => {
  const { cost_usd, counts, duration_ms, header, judgement, leftovers = [] } = report
  const missing = Shards.missingOf(report)
  const part = confirming(report)
  const usual = judgement?.usual
  const isOngoing = leftovers.some(isOpen)
  const used = (all: string, confirm: string | undefined, compared: Usual | undefined): Used => ({
    all,
    ...(confirm === undefined ? {} : { confirm: `${confirm} to confirm` }),
    ...(compared === undefined ? {} : { usual: compared })
  })
  const cost = usual && usually(Number(cost_usd) - Number(part?.cost_usd ?? 0), usual.cost_usd, usd)
  return {
    requests: used(
      counted(counts.requests, "request"),
      part === undefined || part.requests === 0 ? undefined : `${number(part.requests)} of them`,
      usual && usually(counts.requests - (part?.requests ?? 0), usual.requests, number)
    ),
    time: used(
      duration(duration_ms),
      part === undefined || part.duration_ms === 0 ? undefined : `${duration(part.duration_ms)} of it`,
      usual?.duration_ms && usually(duration_ms - (part?.duration_ms ?? 0), usual.duration_ms, duration)
    ),
    cost: used(
      `${Money.rounded(cost_usd)}${header.target.simulated ? " simulated" : ""}${isOngoing ? " so far" : ""}${missing.length === 0 ? "" : `, without ${shards(missing)}`}`,
      part === undefined || part.cost_usd === "0"
        ? undefined
        : `${Money.rounded(part.cost_usd).replace(" USD", "")} of it`,
      // an open resource may make it as much as usual, or more
      isOngoing && cost?.isFar !== true ? undefined : cost
    )
  }
}

/** `0.54 USD simulated, 0.20 of it to confirm`. */
export const text = ({ all, confirm }: Used): string => (confirm === undefined ? all : `${all}, ${confirm}`)

/** The comparison of a figure with earlier runs: `as usual`, or `the rest as usual` next to a part to confirm. */
export const usualText = ({ confirm, usual }: Used): string | undefined =>
  usual && (confirm === undefined ? usual.text : `the rest ${usual.text}`)

/** Both: `0.79 USD simulated, usually 0.39 USD`. */
export const full = (used: Used): string => {
  const usual = usualText(used)
  return usual === undefined ? text(used) : `${text(used)}, ${usual}`
}

/** `36 trials + 10 to confirm`, with those that were planned and not run: `28 of 36 trials`. */
export const trials = (report: RunReport, unrun = 0): string => {
  const confirm = confirming(report)?.trials ?? 0
  const planned = report.counts.trials - confirm
  return `${unrun === 0 ? "" : `${number(planned)} of `}${counted(planned + unrun, "trial")}${confirm === 0 ? "" : ` + ${number(confirm)} to confirm`}`
}

/** The trials that an outage interrupted: `10 interrupted`; undefined if there are none. */
export const interrupted = ({ results }: RunReport): string | undefined => {
  const count = results.flatMap(({ trials }) => trials).filter(({ verdict }) => verdict === "infra").length
  return count === 0 ? undefined : `${number(count)} interrupted`
}
