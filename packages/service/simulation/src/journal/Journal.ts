import { type JournalEntry, type JournalView, type Route } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { RealClock } from "../time/RealClock.ts"

type Writable<Entry> = Entry extends JournalEntry ? { -readonly [Key in keyof Entry]: Entry[Key] } : never
type Unstamped<Entry> = Entry extends JournalEntry ? Omit<Entry, "seq" | "at_ms" | "realAt_ms"> : never

/** A row that has no number yet; the journal gives it one and keeps the object. */
export type Draft = Writable<JournalEntry>

/** A row without number and times. */
export type Row = Unstamped<JournalEntry>

/** Which rows to read. */
export interface JournalQuery {
  /** Rows after this number; all unless given. */
  readonly after?: number
  /** At most this many rows; 1000 unless given. */
  readonly limit?: number
  readonly type?: JournalEntry["type"]
  readonly operation?: Route
  /** Rows about the session, turn or browser with this id. */
  readonly resource?: string
}

/** Size of a journal. */
export interface JournalOptions {
  /** Number of rows that are kept; the newest 20,000 by default. 0 switches the journal off. */
  readonly capacity?: number
}

const defaultCapacity = 20_000
const defaultLimit = 1000

type Counts = { -readonly [Type in JournalEntry["type"]]: number }

const noCounts = (): Counts => ({ request: 0, fault: 0, move: 0, connection: 0, control: 0 })

const isAbout = (entry: JournalEntry, resource: string): boolean => {
  switch (entry.type) {
    case "request":
      return entry.resource === resource || entry.made === resource
    case "fault":
      return entry.resource === resource
    case "move":
      return entry.id === resource || entry.sessionId === resource
    case "connection":
      return entry.browserId === resource
    case "control":
      return false
  }
}

const matches = (entry: JournalEntry, { operation, resource, type }: JournalQuery): boolean =>
  (type === undefined || entry.type === type) &&
  (operation === undefined || ("operation" in entry && entry.operation === operation)) &&
  (resource === undefined || isAbout(entry, resource))

/**
 * Records what happened, row by row: the newest rows are kept, all are counted, and observers see every one.
 *
 * @example
 * ```ts
 * import { Journal } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const journal = yield* Journal
 *   yield* journal.record({ type: "control", action: "advanceTime", detail: "1 minute" })
 *   return yield* journal.read({ type: "control" })
 * })
 * ```
 */
export class Journal extends Context.Service<
  Journal,
  {
    /** True if rows are written at all. */
    readonly enabled: boolean
    /**
     * Writes a row with the current time.
     *
     * @param row - The row without number and times.
     * @returns An effect that writes it.
     * @example
     * ```ts
     * import { Journal } from "@webagent/simulation"
     *
     * export const program = Journal.use((journal) =>
     *   journal.record({ type: "control", action: "advanceTime", detail: "1 minute" })
     * )
     * ```
     */
    readonly record: (row: Row) => Effect.Effect<void>
    /**
     * Writes a row whose times are known, and sets its number. For speed, it keeps the object instead of a copy.
     *
     * @param draft - The row. Its times are in milliseconds since 1970.
     * @returns Nothing.
     * @example
     * ```ts
     * import { Journal } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const note = (at_ms: number) =>
     *   Effect.map(Journal, ({ recordUnsafe }) =>
     *     recordUnsafe({ type: "control", seq: 0, at_ms, realAt_ms: at_ms, action: "advanceTime", detail: "1 minute" })
     *   )
     * ```
     */
    readonly recordUnsafe: (draft: Draft) => void
    /**
     * Returns the number of the last row.
     *
     * @returns The number; 0 before the first row.
     * @example
     * ```ts
     * import { Journal } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const rows = Effect.map(Journal, (journal) => journal.lastUnsafe())
     * ```
     */
    readonly lastUnsafe: () => number
    /**
     * Reads rows that are kept.
     *
     * @param query - `after` is the position to continue from. `limit` is the number of rows, 1,000 by default.
     *   `type`, `operation` and `resource` choose rows.
     * @returns The rows, oldest first, and counts of all rows that were ever written.
     * @example
     * ```ts
     * import { Journal } from "@webagent/simulation"
     *
     * export const creates = Journal.use((journal) => journal.read({ type: "request", operation: "v4.createRun" }))
     * ```
     */
    readonly read: (query?: JournalQuery) => Effect.Effect<JournalView>
    /** Forgets all rows and counts; the next row is number 1. */
    readonly clear: Effect.Effect<void>
    /**
     * Calls a function for every new row, in order, until the scope closes.
     *
     * @param observer - Receives the row. It should be fast, and must not throw.
     * @returns An effect that starts the observation.
     * @example
     * ```ts
     * import { Journal } from "@webagent/simulation"
     *
     * export const program = Journal.use((journal) =>
     *   journal.observe((row) => {
     *     if (row.type === "fault") console.log(`${row.rule} hit ${row.operation}`)
     *   })
     * )
     * ```
     */
    readonly observe: (observer: (entry: JournalEntry) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@webagent/simulation/Journal") {
  /**
   * Provides a journal in memory.
   *
   * @param options - `capacity` is the number of rows that are kept, 20,000 by default. 0 turns the journal off.
   * @returns A layer with the journal.
   * @example
   * ```ts
   * import { Journal } from "@webagent/simulation"
   *
   * export const layer = Journal.layer({ capacity: 1000 })
   * ```
   */
  static readonly layer = (options: JournalOptions = {}): Layer.Layer<Journal> =>
    Layer.sync(Journal, () => make(options.capacity ?? defaultCapacity))
}

const make = (capacity: number): Journal["Service"] => {
  const enabled = capacity > 0
  // a ring that grows up to its capacity: the row with number n is at (n - 1) % capacity
  let ring: Array<JournalEntry> = []
  let written = 0
  let counts = noCounts()
  const observers = new Set<(entry: JournalEntry) => void>()

  const recordUnsafe = (draft: Draft) => {
    if (!enabled) return
    const index = written % capacity
    draft.seq = ++written
    counts[draft.type]++
    if (index === ring.length) ring.push(draft)
    else ring[index] = draft
    for (const observer of observers) observer(draft)
  }

  const read = (query: JournalQuery): JournalView => {
    const dropped = written - ring.length
    const limit = query.limit ?? defaultLimit
    const entries: Array<JournalEntry> = []
    let next = Math.max(query.after ?? 0, dropped)
    while (next < written && entries.length < limit) {
      const entry = ring[next % capacity]
      next++
      if (entry !== undefined && matches(entry, query)) entries.push(entry)
    }
    return { entries, next: Math.min(next, written), written, kept: ring.length, dropped, counts: { ...counts } }
  }

  return {
    enabled,
    recordUnsafe,
    lastUnsafe: () => written,
    record: (row) =>
      enabled
        ? Effect.withFiber((fiber) => {
            const at_ms = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
            const realAt_ms = fiber.getRef(RealClock).currentTimeMillisUnsafe()
            recordUnsafe({ ...row, seq: 0, at_ms, realAt_ms })
            return Effect.void
          })
        : Effect.void,
    read: (query = {}) => Effect.sync(() => read(query)),
    clear: Effect.sync(() => {
      ring = []
      written = 0
      counts = noCounts()
    }),
    observe: (observer) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observer)),
          () => Effect.sync(() => observers.delete(observer))
        )
      )
  }
}
