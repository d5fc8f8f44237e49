/** An entry that is due at a moment. */
export interface Timer {
  /** When to wake it. */
  readonly at: number
  /** In order of arrival: those of one moment wake in it. Kept by `TimerHeap`. */
  ordinal: number
  /** Its place in the heap; -1 while it is not there. Kept by `TimerHeap`. */
  place: number
}

/** Entries in the order of their moments. */
export interface TimerHeap<S extends Timer> {
  /** Number of timers. */
  readonly size: () => number
  /** The moment of the next to wake. */
  readonly next: () => number | undefined
  /** Adds one that is not there. */
  readonly add: (timer: S) => void
  /** Takes one out, if it is there. */
  readonly remove: (timer: S) => void
  /** Takes the next out. */
  readonly take: () => S | undefined
}

const isBefore = (left: Timer, right: Timer) =>
  left.at < right.at || (left.at === right.at && left.ordinal < right.ordinal)

/** An empty heap. A hundred thousand entries are one array, and none has a timer of its own. */
export const make = <S extends Timer>(): TimerHeap<S> => {
  const heap: Array<S> = []
  let arrived = 0

  const put = (timer: S, place: number) => {
    heap[place] = timer
    timer.place = place
  }

  const rise = (timer: S, from: number) => {
    let place = from
    while (place > 0) {
      const above = (place - 1) >>> 1
      const parent = heap[above]
      if (parent === undefined || !isBefore(timer, parent)) break
      put(parent, place)
      place = above
    }
    put(timer, place)
  }

  const sink = (timer: S, from: number) => {
    let place = from
    for (;;) {
      const left = heap[2 * place + 1]
      const right = heap[2 * place + 2]
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left
      if (child === undefined || !isBefore(child, timer)) break
      const below = child.place
      put(child, place)
      place = below
    }
    put(timer, place)
  }

  const remove = (timer: S) => {
    const { place } = timer
    if (place < 0) return
    timer.place = -1
    const last = heap.pop()
    if (last === undefined || last === timer) return
    const parent = heap[(place - 1) >>> 1]
    if (place > 0 && parent !== undefined && isBefore(last, parent)) rise(last, place)
    else sink(last, place)
  }

  return {
    size: () => heap.length,
    next: () => heap[0]?.at,
    add: (timer) => {
      timer.ordinal = arrived++
      heap.push(timer)
      rise(timer, heap.length - 1)
    },
    remove,
    take: () => {
      const first = heap[0]
      if (first !== undefined) remove(first)
      return first
    }
  }
}
