import * as Money from "@webagent/cli/Money"
import type { OutageToll } from "@webagent/report/Finding"
import { isSerious, length_ms, type Outage } from "@webagent/report/Outage"
import { counted, duration, moment } from "@webagent/cli/Text"
import * as CauseText from "./CauseText.ts"

const clock = (iso: string, hasSeconds = true) => iso.slice(11, hasSeconds ? 19 : 16)

/** When an outage was, to the minute: `02:10 to 02:31`. */
const minutes = (outage: Outage): string => {
  const hasSeconds = !isSerious(outage)
  return outage.to === null
    ? `since ${clock(outage.from, false)}`
    : `${clock(outage.from, hasSeconds)} to ${clock(outage.to, hasSeconds)}`
}

/** The outages of a run in a title: `service unreachable 02:10 to 02:31 UTC`; undefined if there are none. */
export const title = (outages: ReadonlyArray<Outage>, isWholeRun: boolean): string | undefined => {
  const [longest] = outages.toSorted((one, other) => length_ms(other) - length_ms(one))
  if (longest === undefined) return undefined
  if (isWholeRun) return "service unavailable"
  const times = outages.length === 1 ? "" : `${outages.length} times, the longest `
  return `service unreachable ${times}${minutes(longest)} UTC`
}

/**
 * An outage in a sentence: `the service was unreachable 02:10:07 to 02:31:40 UTC (21 min 33 s): connection refused`. If no
 * trial started, the service may also have refused the key: `no trial could start: ...`.
 */
export const sentence = (outage: Outage, isWholeRun = false): string => {
  const { from, to, why } = outage
  if (isWholeRun) return `no trial could start: ${why}`
  return to === null
    ? `the service has been unreachable since ${clock(from)} UTC: ${why}`
    : `the service was unreachable ${clock(from)} to ${clock(to)} UTC (${duration(length_ms(outage))}): ${why}`
}

/** When it was: `02:13:07 to 02:15:40 UTC (2 min 33 s)`. */
export const span = ({ from, until }: OutageToll): string => {
  if (until === null) return `since ${clock(from)} UTC`
  const took_ms = Date.parse(until) - Date.parse(from)
  return took_ms < 1000 ? `${clock(from)} UTC` : `${clock(from)} to ${clock(until)} UTC (${duration(took_ms)})`
}

const mostNamed = 4

/** The interrupted requests: `POST /api/v4/runs: HTTP 503 (31), GET /api/v4/runs/…: no response (9)`. */
export const requests = ({ operations, why }: OutageToll): string => {
  if (operations.length === 0) return why ?? ""
  const named = operations.slice(0, mostNamed).map(({ cause, count }) => {
    const text = CauseText.text(cause)
    return count === 1 ? text : `${text} (${count})`
  })
  const more = operations.length - named.length
  return `${named.join(", ")}${more === 0 ? "" : `, and ${counted(more, "other")}`}`
}

/** Number of interrupted requests. */
export const failedRequests = ({ operations }: OutageToll): number =>
  operations.reduce((sum, { count }) => sum + count, 0)

/**
 * The impact and the requests, without the reason for the outage: `40 trials interrupted by 41 failed requests: POST
 * /api/v4/runs (31), GET /api/v4/runs/… (10)`.
 */
export const interrupted = (outage: OutageToll): string => {
  const operations = outage.operations.filter(({ cause }) => CauseText.text(cause) !== outage.why)
  if (operations.length === 0) return toll(outage)
  const named = requests({ ...outage, operations }).replaceAll(`: ${outage.why}`, "")
  const by = outage.trials > 0 && outage.reruns === 0 ? " by" : ","
  const count = failedRequests(outage)
  // the count of a single operation is that of all requests
  return `${toll(outage)}${by} ${counted(count, "failed request")}: ${named.replace(` (${count})`, "")}`
}

/** The impact: `40 trials interrupted, 12 retries`. */
export const toll = ({ reruns, trials }: OutageToll): string => {
  const parts = [
    ...(trials === 0 ? [] : [`${counted(trials, "trial")} interrupted`]),
    ...(reruns === 0 ? [] : [`${reruns} ${reruns === 1 ? "retry" : "retries"}`])
  ]
  return parts.length === 0 ? "no trial interrupted" : parts.join(", ")
}

/** If it is over: `over at 02:31 UTC`, `not over when the run finished`. */
const end = ({ to }: Outage): string =>
  to === null ? "not over when the run finished" : `over at ${clock(to, false)} UTC`

/** The service was down before a run if the run's first minute shows it. */
const startup_ms = 60_000

const isBefore = ({ from }: Outage, startedAt: string): boolean =>
  Date.parse(from) - Date.parse(startedAt) <= startup_ms

/** The part of a run that it covers: `already down when the run started, over at 02:31 UTC`; `startedAt` is undefined if it isn't known. */
export const course = (outage: Outage, startedAt: string | undefined): string =>
  startedAt !== undefined && isBefore(outage, startedAt)
    ? `already down when the run started, ${end(outage)}`
    : end(outage)

/** When it began: `2026-11-24 02:10:07 UTC`, or `by 2026-11-24 02:00:04 UTC, in the run's first minute`. */
export const began = (outage: Outage, startedAt: string): string =>
  isBefore(outage, startedAt) ? `by ${moment(outage.from)}, in the run's first minute` : moment(outage.from)

/** The time at which it was over: `The service responded again at 02:31 UTC.`; undefined if it wasn't over in the run. */
export const recovery = ({ to }: Outage): string | undefined =>
  to === null ? undefined : `The service responded again at ${clock(to, false)} UTC.`

/** Its cost: `21 min 33 s of waiting, and 0.13 USD for 10 trials without a result`. */
export const cost = (outage: Outage, { cost_usd, trials }: Pick<OutageToll, "cost_usd" | "trials">): string => {
  const waited = outage.to === null ? "the rest of the run" : `${duration(length_ms(outage))} of waiting`
  if (trials === 0) return waited
  const paid = cost_usd === undefined ? "" : `${Money.rounded(cost_usd)} for `
  return `${waited}, and ${paid}${counted(trials, "trial")} without a result`
}
