/** What a client or the world may do, with how often it comes among the others. */
const kinds = {
  create: 4,
  repeat: 2,
  queue: 3,
  interrupt: 2,
  cancel: 2,
  stop: 1,
  browser: 2,
  stopBrowser: 1,
  kill: 2,
  close: 1,
  drain: 1,
  freeze: 2,
  thaw: 2,
  /** The store is away for every node, for 3 seconds or a multiple of that. */
  outage: 1,
  conflict: 2,
  refused: 2,
  lost: 2,
  unsent: 2
} as const

/** Something that happens, and how long it is until the next thing does. */
export interface Happening {
  readonly does: keyof typeof kinds
  /** The node that it happens to. */
  readonly node: number
  /** Which of the newest that clients know it is about; 0 is the newest. */
  readonly which: number
  readonly pause_ms: number
}

/** What happens to nodes over one store, and to their clients. */
export interface World {
  /** `alone`: one node at a time, as a server over a file; `shared`: two that share the store. */
  readonly nodes: "alone" | "shared"
  readonly happenings: ReadonlyArray<Happening>
}

const all = Object.entries(kinds).flatMap(([does, weight]) =>
  Array.from({ length: weight }, () => does as keyof typeof kinds)
)

/** The same numbers for the same seed, from 0 to 1. */
const draws = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}

/** The world of a seed. */
export const make = (seed: number): World => {
  const draw = draws(seed)
  const upTo = (most: number) => Math.floor(draw() * (most + 1))
  return {
    nodes: draw() < 0.5 ? "alone" : "shared",
    happenings: Array.from({ length: 5 + upTo(35) }, () => ({
      does: all[upTo(all.length - 1)] ?? "create",
      node: upTo(1),
      which: upTo(4),
      // often none, so that things happen at once
      pause_ms: draw() < 0.3 ? 0 : upTo(9000)
    }))
  }
}
