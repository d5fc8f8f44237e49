import * as Hash from "effect/Hash"

/** The number of recent steps that are compared. */
const window = 40

/** Replaces the digits of a text, because clocks, counters and countdowns change them on their own. */
const withoutDigits = (text: string) => text.replaceAll(/\d+/gu, "0")

/** Steps that made the same calls before: on a page that looked the same, and on one that differs in its digits at most. */
export interface Repeated {
  readonly same: number
  readonly alike: number
}

/** Notices an agent that goes in circles. */
export const make = () => {
  let acts: ReadonlyArray<readonly [same: number, alike: number]> = []
  let last: number | undefined
  let unchanged = 0
  return {
    /** Returns how often these calls were made on a page that looked like this one, in the recent steps. */
    acted: (likeness: string, calls: string): Repeated => {
      const same = Hash.string(`${likeness}\n${calls}`)
      const alike = Hash.string(`${withoutDigits(likeness)}\n${calls}`)
      acts = [...acts, [same, alike] as const].slice(-window)
      return {
        same: acts.slice(-window / 2).filter(([act]) => act === same).length,
        alike: acts.filter(([, act]) => act === alike).length
      }
    },
    /** For how many steps the page has looked like this. */
    seen: (likeness: string): number => {
      const now = Hash.string(likeness)
      unchanged = now === last ? unchanged + 1 : 0
      last = now
      return unchanged
    }
  }
}

/**
 * The number of times that the same calls are made on the same page before the model is warned. If the page differs in
 * its digits, it may have a clock, or the calls may raise a quantity, so more repeats are accepted.
 */
export const warned: Repeated = { same: 3, alike: 6 }

/** For how many steps a page does not change before the model is told. */
export const stagnation = 5
