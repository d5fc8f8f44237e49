/** One start of a server that shares its store with others, as it tells the others of itself. */
export interface Node {
  /** Of this start alone: no start before it or after it has the same. */
  readonly id: string
  /** As people call it, also after another start. */
  readonly name: string
  /** Address at which other nodes reach it, such as `http://10.0.0.5:8080`; null if they cannot. */
  readonly address: string | null
  /** Number of further browsers that it has room for. */
  readonly room: number
  /** Number of its browsers that give way to others, because their sessions have no running turn; missing from old nodes. */
  readonly idle?: number
  /** True if it accepts no new work: its running work finishes, and then it is expected to be stopped. */
  readonly draining: boolean
  readonly startedAt_ms: number
  /** The version of its program; missing for versions that don't report it. */
  readonly version?: string
}

/** Number of browsers that a node can start. */
export const placesIn = ({ idle = 0, room }: Pick<Node, "idle" | "room">): number => room + idle

/** The id of a start: `start` is of this start alone, and has no dot. */
export const idOf = (name: string, start: string): string => `${name}.${start}`

/** The name of the node in the id of one of its starts. */
export const nameIn = (id: string): string => (id.includes(".") ? id.slice(0, id.lastIndexOf(".")) : id)

/** The start in the id of a node. Unlike the name, which may be that of its machine, it tells nothing of the node. */
export const startIn = (id: string): string => id.slice(id.lastIndexOf(".") + 1)
