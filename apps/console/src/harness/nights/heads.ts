import { statusWord } from "../../state/statuses.ts"
import { nightAddress, runAddress } from "../state/address.ts"
import type { Heat, Night } from "./heat.ts"

/** The head of a night's column. */
export interface Head {
  /** Its date and time, and its status, in words. */
  readonly title: string
  readonly day: string
  /** Such as `Nov`, where a month begins. */
  readonly month: string
  /** Its status in a letter, and in a word. */
  readonly letter: string
  readonly status: string
  readonly to: string
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** A night's status in a word; one of an older version has none. */
export const statusOf = ({ of }: Night) => (of.isAway ? "Service unavailable" : statusWord(of.status ?? "no status"))

const letterOf = ({ of }: Night): string =>
  of.isAway ? "⌁" : of.status === "failed" ? "✗" : of.status === "warning" ? "!" : of.status === "passed" ? "✓" : "?"

/** The address of the screen that shows a night: its run, or its record in the history. */
export const addressOf = ({ of }: Night): string => (of.run === null ? nightAddress(of.id) : runAddress(of.run))

/** The heads of all columns. */
export const headsOf = ({ nights }: Heat): ReadonlyArray<Head> =>
  nights.map((night, index) => {
    const { startedAt } = night.of
    // the newest night is the first
    const isFirst = nights[index - 1]?.of.startedAt.slice(0, 7) !== startedAt.slice(0, 7)
    const at = `${startedAt.slice(0, 10)} ${startedAt.slice(11, 16)} UTC`
    const status = statusOf(night)
    const partial = night.of.partial === null ? "" : ", partial"
    const judged = night.of.isJudged === true ? ", judged by its figures" : ""
    return {
      title: `${at}: ${status}${partial}${judged}`,
      day: startedAt.slice(8, 10),
      month: isFirst ? (months[Number(startedAt.slice(5, 7)) - 1] ?? "") : "",
      letter: letterOf(night),
      status,
      to: addressOf(night)
    }
  })
