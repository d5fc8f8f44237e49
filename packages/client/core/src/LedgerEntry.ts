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
export const Opened = Schema.TaggedStruct("opened", {
  ...common,
  key: Schema.String,
  id: Schema.optionalKey(Schema.String)
})

/** A create has done nothing for sure: it never left, or was refused. */
export const Refused = Schema.TaggedStruct("refused", { ...common, key: Schema.String })

/** Whether a create did something is not known, and nobody tries to learn it any more. */
export const Unknown = Schema.TaggedStruct("unknown", { ...common, key: Schema.String, reason: Schema.String })

/** What was created is over: stopped, or terminal. */
export const Closed = Schema.TaggedStruct("closed", { ...common, kind: Schema.String, id: Schema.String })

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
  /** Why it is not known whether there is one. */
  readonly reason?: string
  /** Who opened it, such as a process id, where the ledger was told. */
  readonly owner?: string
}

const nameOf = (kind: string, id: string) => JSON.stringify([kind, id])

/**
 * What is still open after all that happened. A key may be sent again, as after an answer that was lost: what is known
 * of an earlier create is not undone by what becomes of a later one.
 */
export class OpenItems {
  /** Creates of which no id is known, by key: the last one, and the one before it that was left open. */
  private readonly last = new Map<string, OpenItem>()
  private readonly earlier = new Map<string, OpenItem>()
  private readonly made = new Map<string, OpenItem>()

  /** Takes in what happened next. */
  add(entry: LedgerEntry, owner?: string): void {
    switch (entry._tag) {
      case "opening": {
        const { _tag, ...item } = entry
        const before = this.last.get(entry.key)
        if (before !== undefined) this.earlier.set(entry.key, before)
        this.last.set(entry.key, { ...item, state: _tag, ...(owner === undefined ? {} : { owner }) })
        return
      }
      case "opened": {
        const item = this.last.get(entry.key)
        if (item === undefined) return
        if (entry.id === undefined) return void this.last.set(entry.key, { ...item, state: "opened" })
        this.made.set(nameOf(item.kind, entry.id), { ...item, state: "opened", id: entry.id })
        this.last.delete(entry.key)
        this.earlier.delete(entry.key)
        return
      }
      case "unknown": {
        const item = this.last.get(entry.key)
        if (item !== undefined) this.last.set(entry.key, { ...item, state: "unknown", reason: entry.reason })
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

  /** In the order in which they were opened. */
  list(): ReadonlyArray<OpenItem> {
    return [...this.made.values(), ...this.last.values()].toSorted((a, b) => a.at_ms - b.at_ms)
  }
}
