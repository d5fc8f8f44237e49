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
  // oldest first, in columns, which take a third of the memory of an object for each record
  const ids: Array<string> = []
  const times: Array<number> = []
  const order: Array<number> = []
  let n = 0

  const placeAt = (index: number): Placed => ({ id: ids[index] ?? "", at_ms: times[index] ?? 0, n: order[index] ?? 0 })
  const all = () => ids.map((_, index) => placeAt(index))

  return {
    /** Adds a new record. Records come roughly in the order of their times, so its place is near the end. */
    add: (id: string, at_ms: number): void => {
      let index = ids.length
      while (index > 0 && at_ms < (times[index - 1] ?? at_ms)) index--
      ids.splice(index, 0, id)
      times.splice(index, 0, at_ms)
      order.splice(index, 0, ++n)
    },
    /** Removes the records that are gone. */
    forget: (isThere: (id: string) => boolean): void => {
      let kept = 0
      for (const [index, id] of ids.entries()) {
        if (!isThere(id)) continue
        ids[kept] = id
        times[kept] = times[index] ?? 0
        order[kept++] = order[index] ?? 0
      }
      ids.length = times.length = order.length = kept
    },
    /** Returns the places after this one, newest first. */
    *after(place: Place | null): Generator<Placed> {
      let low = 0
      let high = ids.length
      while (low < high) {
        const middle = (low + high) >>> 1
        if (place === null || isBefore(placeAt(middle), place)) low = middle + 1
        else high = middle
      }
      for (let index = low - 1; index >= 0; index--) yield placeAt(index)
    },
    /** Returns the places after this one in the order of creation numbers, newest first. */
    byNumber: (place: Place | null): ReadonlyArray<Placed> =>
      all()
        .filter((at) => place === null || at.n < place.n)
        .toSorted((left, right) => right.n - left.n)
  }
}
