/** An entry of a line, and its position among all entries, counted from 1. */
export interface Placed<Entry> {
  readonly owner: string | null
  readonly entry: Entry
  readonly position: number
}

/** Entries in lines, one line per owner. Owners take turns, so that the order is one entry of each owner per round. */
export interface Lines<Entry> {
  readonly add: (owner: string | null, entry: Entry) => void
  readonly remove: (owner: string | null, entry: Entry) => void
  readonly has: (owner: string | null, entry: Entry) => boolean
  readonly isEmpty: () => boolean
  /** The owners; the one whose turn it is comes first. */
  readonly owners: () => Iterable<string | null>
  /** Removes the first entry of an owner, whose next turn comes after those of all others. */
  readonly takeFirst: (owner: string | null) => Entry | undefined
  /** All entries, in order. */
  readonly all: () => ReadonlyArray<Placed<Entry>>
  /** The entries that weren't marked as seen. They are the last of their lines, so a long line isn't walked for them. */
  readonly fresh: () => ReadonlyArray<Placed<Entry>>
  readonly see: (owner: string | null, entry: Entry) => void
}

/** Makes empty lines. */
export const make = <Entry>(): Lines<Entry> => {
  const lines = new Map<string | null, Set<Entry>>()
  const unseen = new Map<string | null, Set<Entry>>()

  const addTo = (some: typeof lines, owner: string | null, entry: Entry) => {
    const line = some.get(owner) ?? new Set()
    some.set(owner, line.add(entry))
  }

  const removeFrom = (some: typeof lines, owner: string | null, entry: Entry) => {
    const line = some.get(owner)
    line?.delete(entry)
    if (line?.size === 0) some.delete(owner)
  }

  const remove = (owner: string | null, entry: Entry) => {
    removeFrom(lines, owner, entry)
    removeFrom(unseen, owner, entry)
  }

  return {
    add: (owner, entry) => {
      addTo(lines, owner, entry)
      addTo(unseen, owner, entry)
    },
    remove,
    has: (owner, entry) => lines.get(owner)?.has(entry) === true,
    isEmpty: () => lines.size === 0,
    owners: () => lines.keys(),
    takeFirst: (owner) => {
      const line = lines.get(owner)
      const [first] = line ?? []
      if (line === undefined || first === undefined) return undefined
      remove(owner, first)
      if (lines.delete(owner)) lines.set(owner, line)
      return first
    },
    all: () => {
      const placed: Array<Placed<Entry>> = []
      let open = [...lines].map(([owner, line]) => ({ owner, line: [...line] }))
      for (let round = 0; open.length > 0; round++) {
        for (const { line, owner } of open) {
          const entry = line[round]
          if (entry !== undefined) placed.push({ owner, entry, position: placed.length + 1 })
        }
        if (open.some(({ line }) => line.length === round + 1)) {
          open = open.filter(({ line }) => line.length > round + 1)
        }
      }
      return placed
    },
    fresh: () => {
      const owners = [...lines.keys()]
      const sizes = [...lines.values()].map(({ size }) => size)
      return [...unseen].flatMap(([owner, line]) => {
        const at = owners.indexOf(owner)
        const seen = (sizes[at] ?? 0) - line.size
        return [...line].map((entry, index) => {
          const round = seen + index
          // an owner that comes first has one entry more before this one
          const before = sizes.reduce(
            (sum, size, other) => sum + (other === at ? 0 : Math.min(size, other < at ? round + 1 : round)),
            round
          )
          return { owner, entry, position: before + 1 }
        })
      })
    },
    see: (owner, entry) => removeFrom(unseen, owner, entry)
  }
}
