import type { Place } from "./ports/Lists.ts"

/** The place of a record in its list. */
export interface Placed extends Place {
  readonly id: string
}

/** The places of all records of one kind, in the order of lists. */
export type MemoryPlaces = ReturnType<typeof make>

const isBefore = (left: Place, right: Place) =>
  left.at_ms < right.at_ms || (left.at_ms === right.at_ms && left.n < right.n)

/** Makes an empty list. */
export const make = () => {
  /** Oldest first. */
  let places: Array<Placed> = []
  let n = 0
  return {
    /** Adds a new record. Records come roughly in the order of their times, so its place is near the end. */
    add: (id: string, at_ms: number): void => {
      const added = { id, at_ms, n: ++n }
      let index = places.length
      while (index > 0 && isBefore(added, places[index - 1] ?? added)) index--
      if (index === places.length) places.push(added)
      else places.splice(index, 0, added)
    },
    /** Removes the records that are gone. */
    forget: (isThere: (id: string) => boolean): void => {
      places = places.filter(({ id }) => isThere(id))
    },
    /** Returns the places after this one, newest first. */
    *after(place: Place | null): Generator<Placed> {
      let low = 0
      let high = places.length
      while (low < high) {
        const middle = (low + high) >>> 1
        const at = places[middle]
        if (at !== undefined && (place === null || isBefore(at, place))) low = middle + 1
        else high = middle
      }
      for (let index = low - 1; index >= 0; index--) {
        const at = places[index]
        if (at !== undefined) yield at
      }
    },
    /** Returns the places after this one in the order of creation numbers, newest first. */
    byNumber: (place: Place | null): ReadonlyArray<Placed> =>
      places.filter((at) => place === null || at.n < place.n).toSorted((left, right) => right.n - left.n)
  }
}
