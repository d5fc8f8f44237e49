import * as Hash from "effect/Hash"

/** The number of recent steps that are compared. */
const window = 20

/** Notices an agent that goes in circles. */
export const make = () => {
  let acts: ReadonlyArray<number> = []
  let last: number | undefined
  let unchanged = 0
  return {
    /** Returns how often these calls were made on a page that looked like this one, in the recent steps. */
    acted: (likeness: string, calls: string): number => {
      const now = Hash.string(`${likeness}\n${calls}`)
      acts = [...acts, now].slice(-window)
      return acts.filter((act) => act === now).length
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
 * The number of times that the same calls are made on the same page before the model is warned, and before the task
 * ends.
 */
export const repeats = { told: 3, ended: 6 }

/** For how many steps a page does not change before the model is told. */
export const stagnation = 5
