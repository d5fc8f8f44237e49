import * as Schema from "effect/Schema"

const common = {
  /** Milliseconds since 1970. */
  at_ms: Schema.Finite
}

/** Written before a create goes out. */
export const Opening = Schema.TaggedStruct("opening", {
  ...common,
  key: Schema.String,
  kind: Schema.String,
  method: Schema.String,
  path: Schema.String,
  origin: Schema.String,
  requestId: Schema.String
})

/** A create was answered; the id is missing when its answer had none. */
const Opened = Schema.TaggedStruct("opened", {
  ...common,
  key: Schema.String,
  id: Schema.optionalKey(Schema.String)
})

/** A create has done nothing for sure: it never left, or was refused. */
export const Refused = Schema.TaggedStruct("refused", { ...common, key: Schema.String })

/** It is unknown whether a create did something, and the client no longer tries to find out. */
export const Unknown = Schema.TaggedStruct("unknown", { ...common, key: Schema.String, reason: Schema.String })

/** A resource is closed: a browser was stopped, or a run reached a final status. */
const Closed = Schema.TaggedStruct("closed", { ...common, kind: Schema.String, id: Schema.String })

/** One thing that happened to something that costs money. */
export const LedgerEntry = Schema.Union([Opening, Opened, Refused, Unknown, Closed])

/** One thing that happened to something that costs money. */
export type LedgerEntry = typeof LedgerEntry.Type

/** Something that may be costing money now. */
export interface OpenItem {
  readonly kind: string
  readonly key: string
  /** Missing where it was never learnt: no answer came, or one without an id. */
  readonly id?: string
  /** `opening`: nothing is known since it went out; `opened`: the service answered; `unknown`: the answer was lost. */
  readonly state: "opening" | "opened" | "unknown"
  /** When its create went out, in milliseconds since 1970. */
  readonly at_ms: number
  readonly method: string
  readonly path: string
  readonly origin: string
  readonly requestId: string
  /** The reason why the outcome is unknown. */
  readonly reason?: string
  /** Who opened it, such as a process id, where the ledger was told. */
  readonly owner?: string
}

const nameOf = (kind: string, id: string) => `${kind} ${id}`

/** The entries about one create. They aren't copied, because there may be hundreds of thousands. */
interface Known {
  readonly opening: typeof Opening.Type
  readonly owner: string | undefined
  readonly state: OpenItem["state"]
  readonly id?: string | undefined
  readonly reason?: string | undefined
}

const itemOf = ({ id, opening, owner, reason, state }: Known): OpenItem => {
  const { at_ms, key, kind, method, origin, path, requestId } = opening
  return {
    kind,
    key,
    state,
    at_ms,
    method,
    path,
    origin,
    requestId,
    ...(id === undefined ? {} : { id }),
    ...(reason === undefined ? {} : { reason }),
    ...(owner === undefined ? {} : { owner })
  }
}

/**
 * Tracks which resources are still open. A key may be sent again, for example after a lost response: the outcome of a
 * later create doesn't undo what is recorded about an earlier one.
 */
export class OpenItems {
  /** Creates without a known id, by key: the last one, and the one before it that was left open. */
  private readonly last = new Map<string, Known>()
  private readonly earlier = new Map<string, Known>()
  private readonly made = new Map<string, Known>()

  /**
   * Applies the next entry.
   *
   * @param entry - The entry.
   * @param owner - The process that wrote it, if the ledger records it.
   * @returns Nothing.
   * @example
   * ```ts
   * import { type LedgerEntry, OpenItems } from "@webagent/core"
   *
   * export const openAfter = (entries: ReadonlyArray<LedgerEntry>) => {
   *   const items = new OpenItems()
   *   for (const entry of entries) items.add(entry)
   *   return items.list()
   * }
   * ```
   */
  add(entry: LedgerEntry, owner?: string): void {
    switch (entry._tag) {
      case "opening": {
        const before = this.last.get(entry.key)
        if (before !== undefined) this.earlier.set(entry.key, before)
        this.last.set(entry.key, { opening: entry, owner, state: "opening" })
        return
      }
      case "opened": {
        const current = this.last.get(entry.key)
        if (current === undefined) return
        const { opening, owner } = current
        if (entry.id === undefined) return void this.last.set(entry.key, { opening, owner, state: "opened" })
        this.made.set(nameOf(opening.kind, entry.id), { opening, owner, state: "opened", id: entry.id })
        this.last.delete(entry.key)
        this.earlier.delete(entry.key)
        return
      }
      case "unknown": {
        const current = this.last.get(entry.key)
        if (current !== undefined) this.last.set(entry.key, { ...current, state: "unknown", reason: entry.reason })
        return
      }
      case "refused": {
        const before = this.earlier.get(entry.key)
        this.earlier.delete(entry.key)
        if (before === undefined) this.last.delete(entry.key)
        else this.last.set(entry.key, before)
        return
      }
      case "closed":
        this.made.delete(nameOf(entry.kind, entry.id))
    }
  }

  /**
   * Returns whether a resource with this id is open.
   *
   * @param kind - The kind of the resource, such as `run`.
   * @param id - Its id.
   * @returns True if it was opened and not closed.
   * @example
   * ```ts
   * import { OpenItems } from "@webagent/core"
   *
   * console.log(new OpenItems().has("run", "5f2e")) // false
   * ```
   */
  has(kind: string, id: string): boolean {
    return this.made.has(nameOf(kind, id))
  }

  /** The most entries that `entries` gives. */
  get size(): number {
    return 2 * (this.made.size + this.last.size + this.earlier.size)
  }

  /**
   * Returns the fewest entries with the same meaning, so that a ledger can be compacted.
   *
   * @returns The entries in order, each with the owner of its resource.
   * @example
   * ```ts
   * import type { OpenItems } from "@webagent/core"
   *
   * export const compacted = (items: OpenItems) => items.entries().map(({ entry }) => JSON.stringify(entry)).join("\n")
   * ```
   */
  entries(): ReadonlyArray<{ readonly entry: LedgerEntry; readonly owner: string | undefined }> {
    const items = [...this.earlier.values(), ...this.made.values(), ...this.last.values()]
    const inOrder = items.toSorted((a, b) => a.opening.at_ms - b.opening.at_ms)
    return inOrder.flatMap(({ id, opening, owner, reason = "", state }) => {
      const { at_ms, key, kind, method, origin, path, requestId } = opening
      const entries: Array<LedgerEntry> = [{ _tag: "opening", at_ms, key, kind, method, path, origin, requestId }]
      if (state === "opened") entries.push({ _tag: "opened", at_ms, key, ...(id === undefined ? {} : { id }) })
      if (state === "unknown") entries.push({ _tag: "unknown", at_ms, key, reason })
      return entries.map((entry) => ({ entry, owner }))
    })
  }

  /**
   * Returns the resources that may cost money now.
   *
   * @returns The resources in the order in which they were opened.
   * @example
   * ```ts
   * import type { OpenItems } from "@webagent/core"
   *
   * export const ids = (items: OpenItems) => items.list().map(({ id, key, kind }) => `${kind} ${id ?? key}`)
   * ```
   */
  list(): ReadonlyArray<OpenItem> {
    return [...this.made.values(), ...this.last.values()].map(itemOf).toSorted((a, b) => a.at_ms - b.at_ms)
  }
}
