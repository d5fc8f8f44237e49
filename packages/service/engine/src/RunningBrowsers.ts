import type { LaunchedBrowser } from "./ports/BrowserPool.ts"

/** The browsers that run at this node, by id. */
export interface RunningBrowsers {
  readonly get: (id: string) => LaunchedBrowser | undefined
  readonly all: () => ReadonlyArray<readonly [id: string, browser: LaunchedBrowser]>
  readonly add: (id: string, browser: LaunchedBrowser) => void
  /** Removes a browser. Returns a function that adds it again, unused if it was. */
  readonly remove: (id: string) => () => void
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
  readonly isUnused: (id: string) => boolean
  /** Returns the least recently used of the unused browsers; with an owner, one of theirs. */
  readonly findUnused: (owner: string | undefined) => string | undefined
}

/** Makes an empty set of browsers; `isDriven` is true for one that a person has control of. */
export const make = (isDriven: (id: string) => boolean = () => false): RunningBrowsers => {
  const running = new Map<string, LaunchedBrowser>()
  /** The owners of browsers whose sessions have no running turn, the least recently used first. */
  const unused = new Map<string, string | null>()
  let removals = 0
  const isUnused = (id: string) => unused.has(id) && !isDriven(id)
  return {
    get: (id) => running.get(id),
    all: () => [...running],
    add: (id, browser) => void running.set(id, browser),
    remove: (id) => {
      const [browser, owner] = [running.get(id), unused.get(id)]
      running.delete(id)
      unused.delete(id)
      return () => {
        if (browser !== undefined) running.set(id, browser)
        if (owner !== undefined) unused.set(id, owner)
      }
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
    unused: () => [...unused.keys()].filter(isUnused).length,
    isUnused,
    findUnused: (owner) => {
      for (const [id, ownerOfBrowser] of unused) {
        if ((owner === undefined || ownerOfBrowser === owner) && isUnused(id)) return id
      }
      return undefined
    }
  }
}
