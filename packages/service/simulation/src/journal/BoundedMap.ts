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
  const entries = new Map<string, Value>()
  // one that goes on: a new one would step over everything that was deleted, each time
  let oldest = entries.entries()

  const forget = () => {
    let next = oldest.next()
    if (next.done === true) {
      oldest = entries.entries()
      next = oldest.next()
    }
    if (next.done === true) return
    const [key, value] = next.value
    entries.delete(key)
    forgotten?.(value)
  }

  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      if (entries.size >= size && !entries.has(key)) forget()
      entries.set(key, value)
    },
    delete: (key) => void entries.delete(key),
    clear: () => {
      entries.clear()
      oldest = entries.entries()
    },
    size: () => entries.size,
    values: () => entries.values()
  }
}
