import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type AuditFilter, AuditLog, type AuditLogService, type StoredAuditEntry } from "./ports/AuditLog.ts"
import { noNote, RunNotes, type RunNote, type RunNotesService } from "./ports/RunNotes.ts"

/** Number of entries that a log in memory keeps. */
const mostEntries = 10_000

/** Returns whether an entry matches a filter. */
const matches = (
  entry: StoredAuditEntry,
  { action, from_ms = -Infinity, key, target, to_ms = Infinity }: AuditFilter
) =>
  (key === undefined || entry.key === key) &&
  (action === undefined || entry.action === action) &&
  (target === undefined || entry.targets.includes(target)) &&
  entry.at_ms >= from_ms &&
  entry.at_ms < to_ms

const makeAuditLog = (): AuditLogService => {
  let entries: ReadonlyArray<StoredAuditEntry> = []
  let last = 0
  return {
    add: (entry) =>
      Effect.sync(() => {
        entries = [...entries.slice(1 - mostEntries), { ...entry, id: ++last }]
      }),
    list: (filter, before, limit) =>
      Effect.sync(() =>
        entries
          .filter((entry) => entry.id < (before ?? Infinity) && matches(entry, filter))
          .toReversed()
          .slice(0, limit)
      ),
    prune: (until_ms, limit) =>
      Effect.sync(() => {
        const gone = new Set(entries.filter(({ at_ms }) => at_ms <= until_ms).slice(0, limit))
        entries = entries.filter((entry) => !gone.has(entry))
        return gone.size
      })
  }
}

const makeRunNotes = (): RunNotesService => {
  const notes = new Map<string, RunNote>()
  return {
    get: (turnId) => Effect.sync(() => notes.get(turnId) ?? noNote),
    set: (turnId, note) => Effect.sync(() => void notes.set(turnId, { ...(notes.get(turnId) ?? noNote), ...note })),
    shares: (after, limit) =>
      Effect.sync(() =>
        [...notes]
          .flatMap(([turnId, { share }]) =>
            share === null || (after !== null && turnId >= after) ? [] : [{ turnId, share }]
          )
          .toSorted((a, b) => (a.turnId < b.turnId ? 1 : -1))
          .slice(0, limit)
      )
  }
}

/** Makes a storage in memory for marks, share links and the newest 10,000 entries of the audit log. */
export const make = Effect.sync(() => ({ auditLog: makeAuditLog(), runNotes: makeRunNotes() }))

/** Keeps marks, share links and the newest 10,000 entries of the audit log in memory. */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(make, ({ auditLog, runNotes }) => Context.make(AuditLog, auditLog).pipe(Context.add(RunNotes, runNotes)))
)
