import type { LaunchedBrowser } from "./ports/BrowserPool.ts"

/** The browsers that run at this node, by id. */
export interface RunningBrowsers {
  readonly get: (id: string) => LaunchedBrowser | undefined
  readonly all: () => ReadonlyArray<readonly [id: string, browser: LaunchedBrowser]>
  readonly add: (id: string, browser: LaunchedBrowser) => void
  readonly remove: (id: string) => void
  /** Removes all browsers and returns them. Browsers that are being launched must not be added any more. */
  readonly removeAll: () => ReadonlyArray<LaunchedBrowser>
  /** Number of calls of `removeAll` so far. */
  readonly removals: () => number
  /** Marks a browser as one of a session without a running turn. It is unused unless a person has control of it. */
  readonly setUnused: (id: string, owner: string | null) => void
  readonly setUsed: (id: string) => void
  readonly hasUnused: () => boolean
  /** Number of unused browsers. */
  readonly unused: () => number
  /** Marks an unused browser as used; false if it is used or not here. */
  readonly takeIfUnused: (id: string) => boolean
  /** Marks the least recently used of the unused browsers as used and returns its id; with an owner, one of theirs. */
  readonly takeUnused: (owner: string | undefined) => string | undefined
}

/** Makes an empty set of browsers; `isDriven` is true for one that a person has control of. */
export const make = (isDriven: (id: string) => boolean = () => false): RunningBrowsers => {
  const running = new Map<string, LaunchedBrowser>()
  /** The owners of browsers whose sessions have no running turn, the least recently used first. */
  const unused = new Map<string, string | null>()
  let removals = 0
  return {
    get: (id) => running.get(id),
    all: () => [...running],
    add: (id, browser) => void running.set(id, browser),
    remove: (id) => {
      running.delete(id)
      unused.delete(id)
    },
    removeAll: () => {
      const removed = [...running.values()]
      removals += 1
      running.clear()
      unused.clear()
      return removed
    },
    removals: () => removals,
    setUnused: (id, owner) => void unused.set(id, owner),
    setUsed: (id) => void unused.delete(id),
    hasUnused: () => unused.size > 0,
    unused: () => [...unused.keys()].filter((id) => !isDriven(id)).length,
    takeIfUnused: (id) => !isDriven(id) && unused.delete(id),
    takeUnused: (owner) => {
      for (const [id, ownerOfBrowser] of unused) {
        if ((owner !== undefined && ownerOfBrowser !== owner) || isDriven(id)) continue
        unused.delete(id)
        return id
      }
      return undefined
    }
  }
}
