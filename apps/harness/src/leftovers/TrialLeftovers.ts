import type { JournalEntry } from "@webagent/control"
import type { OpenItem } from "@webagent/core"
import type { StateAfter, TrialLog } from "../observe/TrialLog.ts"
import * as Leftover from "./Leftover.ts"

/** Something that no ledger lists: only what it is, its id, and why nothing else is known. */
export const unlisted = (kind: string, id: string, reason?: string): OpenItem => ({
  kind,
  id,
  key: "",
  state: "opened",
  at_ms: 0,
  method: "POST",
  path: "",
  origin: "",
  requestId: "",
  ...(reason === undefined ? {} : { reason })
})

/** Collects the facts about a trial's resources from the rows of a server's journal. */
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

/** The runs that ended, as the server's journal has it. */
export const endedIn = (rows: ReadonlyArray<JournalEntry>): ReadonlySet<string> => knownTo(rows).ended

const lost = "its create request got no response"

/** Lists the resources that a trial may have left running. `rows` is undefined if there is no journal. */
export const of = (
  log: TrialLog,
  rows: ReadonlyArray<JournalEntry> | undefined,
  trial: Leftover.Leftover["trial"],
  states: ReadonlyMap<string, StateAfter> = new Map()
): ReadonlyArray<Leftover.Leftover> => {
  const known = rows === undefined ? undefined : knownTo(rows)
  const seen = Array.from(log.made).flatMap(([id, { kind }]) => {
    const isEnded = kind === "browser" || log.results.has(id) || log.ended.has(id) || known?.ended.has(id) === true
    return isEnded || states.get(id) === "over" ? [] : [unlisted(kind, id)]
  })
  const unseen = Array.from(known?.browsers ?? []).flatMap(([id, open]) =>
    open && !log.made.has(id) ? [unlisted("browser", id, lost)] : []
  )
  const unknown = log.ledger.list().flatMap((item) => {
    if (item.id !== undefined) return []
    if (known === undefined) return [{ ...item, reason: item.reason ?? lost }]
    const id = known.madeBy.get(item.key) ?? undefined
    // browsers are told by their own moves
    return id === undefined || known.ended.has(id) || item.kind === "browser" ? [] : [{ ...item, id, reason: lost }]
  })
  return [...seen, ...unseen, ...unknown].map((item) => {
    const leftover = Leftover.of(item, trial)
    return item.id !== undefined && states.get(item.id) === "stopped" ? { ...leftover, state: "stopped" } : leftover
  })
}
