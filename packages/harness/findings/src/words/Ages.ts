import { ageOf, type Onset } from "@webagent/report/Onset"
import { counted } from "@webagent/cli/Text"

const nights = (count: number) => counted(count, "night")

/**
 * Since when something has been so: `new`, `since 2026-11-14, 7 nights`, `again after 3 passing nights`; with `isDated`
 * also the day on which it was new.
 */
export const age = (onset: Onset, isDated = false): string => {
  const { between = 0, flaky, green, known, nights: count, since } = onset
  const its = ageOf(onset)
  if (its === "old") return `since ${since.slice(0, 10)}${count > known ? " or before" : ""}, ${nights(count)}`
  const often = flaky === undefined ? "" : `, flaky in ${flaky} of ${nights(known)} before`
  if (its === "again") {
    return green === true
      ? `again after ${counted(between, "passing night")}${often}`
      : `again after ${nights(between)} without it`
  }
  if (flaky !== undefined) return `new${often}`
  if (known === 0) return "new, no night before has run it"
  return isDated ? `new, first seen ${since.slice(0, 10)}` : "new"
}

/** Number of problems per age: `1 new, 2 again, 4 as before`, `none new`; undefined if no age is available. */
export const ages = (onsets: ReadonlyArray<Onset | undefined>): string | undefined => {
  const of = (age: ReturnType<typeof ageOf>) => onsets.filter((onset) => ageOf(onset) === age).length
  const [fresh, again, old] = [of("new"), of("again"), of("old")]
  if (fresh + again === 0) return old === 0 ? undefined : "none new"
  return [
    fresh === 0 ? undefined : `${fresh} new`,
    again === 0 ? undefined : `${again} again`,
    old === 0 ? undefined : `${old} as before`
  ]
    .filter((part) => part !== undefined)
    .join(", ")
}
