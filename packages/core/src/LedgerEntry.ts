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

/** What is still open after all that happened. */
export class OpenItems {
  private readonly byKey = new Map<string, OpenItem>()
  private readonly keyOf = new Map<string, string>()

  /** Takes in what happened next. */
  add(entry: LedgerEntry, owner?: string): void {
    switch (entry._tag) {
      case "opening": {
        const { _tag, ...item } = entry
        this.byKey.set(entry.key, { ...item, state: _tag, ...(owner === undefined ? {} : { owner }) })
        return
      }
      case "opened": {
        const id = entry.id === undefined ? {} : { id: entry.id }
        const item = this.update(entry.key, { state: "opened", ...id })
        if (item?.id !== undefined) this.keyOf.set(JSON.stringify([item.kind, item.id]), item.key)
        return
      }
      case "unknown":
        this.update(entry.key, { state: "unknown", reason: entry.reason })
        return
      case "refused":
        this.byKey.delete(entry.key)
        return
      case "closed": {
        const name = JSON.stringify([entry.kind, entry.id])
        this.byKey.delete(this.keyOf.get(name) ?? "")
        this.keyOf.delete(name)
      }
    }
  }

  /** In the order in which they were opened. */
  list(): ReadonlyArray<OpenItem> {
    return Array.from(this.byKey.values())
  }

  private update(key: string, change: Partial<OpenItem>) {
    const item = this.byKey.get(key)
    if (item === undefined) return undefined
    const changed = { ...item, ...change }
    this.byKey.set(key, changed)
    return changed
  }
}
