/** Default number of remembered items. An oracle doesn't judge anything older. */
export const capacity = 20_000

/** A Map that forgets what it has known longest when it is full. */
export interface BoundedMap<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly delete: (key: string) => void
  readonly clear: () => void
  readonly size: () => number
  readonly values: () => IterableIterator<Value>
}

/** Keeps the newest `size` entries. `forgotten` is called with each entry that is dropped. */
export const make = <Value>(size = capacity, forgotten?: (value: Value) => void): BoundedMap<Value> => {
  const known = new Map<string, Value>()
  // one that goes on: a new one would step over everything that was deleted, each time
  let oldest = known.entries()

  const forget = () => {
    let next = oldest.next()
    if (next.done === true) {
      oldest = known.entries()
      next = oldest.next()
    }
    if (next.done === true) return
    const [key, value] = next.value
    known.delete(key)
    forgotten?.(value)
  }

  return {
    get: (key) => known.get(key),
    set: (key, value) => {
      if (known.size >= size && !known.has(key)) forget()
      known.set(key, value)
    },
    delete: (key) => void known.delete(key),
    clear: () => {
      known.clear()
      oldest = known.entries()
    },
    size: () => known.size,
    values: () => known.values()
  }
}
