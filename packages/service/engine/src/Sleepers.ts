/** Somebody who waits for a moment. */
export interface Sleeper {
  /** When to wake it. */
  readonly at: number
  /** In order of arrival: those of one moment wake in it. Kept by `Sleepers`. */
  ordinal: number
  /** Its place in the heap; -1 while it is not there. Kept by `Sleepers`. */
  place: number
}

/** Who waits for which moment. */
export interface Sleepers<S extends Sleeper> {
  /** How many there are. */
  readonly size: () => number
  /** The moment of the next to wake. */
  readonly next: () => number | undefined
  /** Adds one that is not there. */
  readonly add: (sleeper: S) => void
  /** Takes one out, if it is there. */
  readonly remove: (sleeper: S) => void
  /** Takes the next out. */
  readonly take: () => S | undefined
}

const isBefore = (left: Sleeper, right: Sleeper) =>
  left.at < right.at || (left.at === right.at && left.ordinal < right.ordinal)

/** Nobody yet. A heap: a hundred thousand sleepers are one array, and none of them is a timer. */
export const make = <S extends Sleeper>(): Sleepers<S> => {
  const heap: Array<S> = []
  let arrived = 0

  const put = (sleeper: S, place: number) => {
    heap[place] = sleeper
    sleeper.place = place
  }

  const rise = (sleeper: S, from: number) => {
    let place = from
    while (place > 0) {
      const above = (place - 1) >>> 1
      const parent = heap[above]
      if (parent === undefined || !isBefore(sleeper, parent)) break
      put(parent, place)
      place = above
    }
    put(sleeper, place)
  }

  const sink = (sleeper: S, from: number) => {
    let place = from
    for (;;) {
      const left = heap[2 * place + 1]
      const right = heap[2 * place + 2]
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, sleeper)) break
      const below = child.place
      put(child, place)
      place = below
    }
    put(sleeper, place)
  }

  const remove = (sleeper: S) => {
    const { place } = sleeper
    if (place < 0) return
    sleeper.place = -1
    const last = heap.pop()
    if (last === undefined || last === sleeper) return
    const parent = heap[(place - 1) >>> 1]
    if (place > 0 && parent !== undefined && isBefore(last, parent)) rise(last, place)
    else sink(last, place)
  }

  return {
    size: () => heap.length,
    next: () => heap[0]?.at,
    add: (sleeper) => {
      sleeper.ordinal = arrived++
      heap.push(sleeper)
      rise(sleeper, heap.length - 1)
    },
    remove,
    take: () => {
      const first = heap[0]
      if (first !== undefined) remove(first)
      return first
    }
  }
}
