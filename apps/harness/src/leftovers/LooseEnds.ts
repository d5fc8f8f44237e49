import type { JournalEntry } from "@webagent/control"
import type { OpenItem } from "@webagent/core"
import type { TrialLog } from "../observe/TrialLog.ts"

/** Something that a trial may have left going. */
export interface LooseEnd {
  readonly kind: string
  /** Null where the client never learnt it. */
  readonly id: string | null
  /** Why its id, or whether it exists, is unknown. */
  readonly reason: string | null
  /** Its place in the ledger, where it has one. */
  readonly key: string | null
}

/** What a server's journal knows of what a trial made. */
const knownTo = (rows: ReadonlyArray<JournalEntry>) => {
  const browsers = new Map<string, boolean>()
  const ended = new Set<string>()
  const madeBy = new Map<string, string | null>()
  for (const row of rows) {
    if (row.type === "move" && row.of === "browser") browsers.set(row.id, row.to !== "stopped")
    else if (row.type === "move" && row.of === "turn") {
      if (["completed", "failed", "cancelled"].includes(row.to)) ended.add(row.id)
    } else if (row.type === "request" && row.idempotencyKey !== null) {
      madeBy.set(row.idempotencyKey, row.made ?? madeBy.get(row.idempotencyKey) ?? null)
    }
  }
  return { browsers, ended, madeBy }
}

const lost = "its create request got no response"

/** A create whose response was lost; undefined where the journal says that it made nothing. */
const ofUnlearnt = (
  { key, kind, reason = lost }: OpenItem,
  known: ReturnType<typeof knownTo> | undefined
): LooseEnd | undefined => {
  if (known === undefined) return { kind, id: null, reason, key }
  const id = known.madeBy.get(key)
  // browsers are told by their own moves
  return id === undefined || id === null || known.ended.has(id) || kind === "browser"
    ? undefined
    : { kind, id, reason: lost, key }
}

/** What a trial may have left going: `rows` is undefined where there is no journal to ask. */
export const of = (log: TrialLog, rows: ReadonlyArray<JournalEntry> | undefined): ReadonlyArray<LooseEnd> => {
  const known = rows === undefined ? undefined : knownTo(rows)
  const seen = Array.from(log.made).flatMap(([id, { kind }]): ReadonlyArray<LooseEnd> => {
    const isOver = kind === "browser" || log.results.has(id) || log.ended.has(id) || known?.ended.has(id) === true
    return isOver ? [] : [{ kind, id, reason: null, key: null }]
  })
  const unseen = Array.from(known?.browsers ?? []).flatMap(([id, open]): ReadonlyArray<LooseEnd> =>
    open && !log.made.has(id) ? [{ kind: "browser", id, reason: lost, key: null }] : []
  )
  const unlearnt = log.ledger.list().flatMap((item) => (item.id === undefined ? (ofUnlearnt(item, known) ?? []) : []))
  return [...seen, ...unseen, ...unlearnt]
}
