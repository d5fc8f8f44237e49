import * as Cron from "effect/Cron"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { LimitReached } from "./Errors.ts"

/** Rules for a time that passed while no server ran: no run, or one for all missed times together. */
export const missedRules = ["skip", "once"] as const

/** The rule for times that passed while no server ran. */
export type MissedRule = (typeof missedRules)[number]

/** The reason why a scheduled time made no run. */
export type ScheduleProblem =
  | { readonly kind: "missed"; readonly late_ms: number }
  | { readonly kind: "key_revoked"; readonly key: string }
  | { readonly kind: "scope_missing"; readonly key: string; readonly scope: string }
  | { readonly kind: "limit"; readonly key: string; readonly limit: LimitReached }
  | { readonly kind: "profile_missing" }
  /** Another reason, as a sentence without a full stop. */
  | { readonly kind: "refused"; readonly message: string }

/** A task that is run at times that a cron expression names. */
export interface ScheduledRun {
  readonly id: string
  /** The owner of its runs; null on a server whose records have no owners. */
  readonly owner: string | null
  readonly name: string
  /** Five fields: minute, hour, day of month, month, day of week. */
  readonly cron: string
  /** A name such as `Europe/Berlin`. */
  readonly timeZone: string
  readonly missed: MissedRule
  /** The request of each run. */
  readonly run: Readonly<Record<string, unknown>>
  readonly isActive: boolean
  /** Time of the next run; null while it's paused, and if the expression names no further time. */
  readonly dueAt_ms: number | null
  /** The time that was due last; null before the first one. */
  readonly lastDueAt_ms: number | null
  /** The run that was made last; null before the first one. */
  readonly lastRunId: string | null
  /** The reason why the last time made no run; null if it made one. */
  readonly lastProblem: ScheduleProblem | null
  readonly createdAt_ms: number
  readonly updatedAt_ms: number
}

/** The fields of a new schedule. */
export type ScheduleFields = Pick<ScheduledRun, "cron" | "dueAt_ms" | "missed" | "name" | "run" | "timeZone">

/** A new schedule. */
export const makeSchedule = (
  id: string,
  owner: string | null,
  fields: ScheduleFields,
  at_ms: number
): ScheduledRun => ({
  id,
  owner,
  ...fields,
  isActive: true,
  lastDueAt_ms: null,
  lastRunId: null,
  lastProblem: null,
  createdAt_ms: at_ms,
  updatedAt_ms: at_ms
})

/** A time that is this late was missed: the server didn't run, or could not reach its store. */
export const lateAfter_ms = 60_000

/**
 * Reads a cron expression of five fields and a time zone; a text is the problem. When clocks are turned back, an interval
 * of hours, with `*` or `/`, or `0-23`, also runs in the repeated hour, but a time of day runs once.
 */
export const readCron = (cron: string, timeZone: string): Cron.Cron | string => {
  const fields = cron.trim().split(/\s+/u)
  if (fields.length !== 5) {
    return "Expected five fields: minute, hour, day of month, month and day of week, such as 0 6 * * 1-5"
  }
  const zone = Option.getOrUndefined(DateTime.zoneFromString(timeZone))
  if (zone === undefined) return `There is no time zone ${timeZone}. Use a name such as Europe/Berlin or UTC`
  const parsed = Cron.parse(cron, zone, { onDstOverlap: /[*/]|\b0-23\b/u.test(fields[1] ?? "") ? "both" : "earlier" })
  return Result.isSuccess(parsed) ? parsed.success : `The cron expression can't be read. ${parsed.failure.message}`
}

/** The next time of an expression after an instant; null if there is none, as for February 30. */
export const nextAfter = (cron: Cron.Cron, after_ms: number): number | null => {
  try {
    return Cron.next(cron, new Date(after_ms)).getTime()
  } catch {
    return null
  }
}
