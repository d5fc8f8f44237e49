import * as Effect from "effect/Effect"
import { type Browser, browserStatuses } from "./domain/Browser.ts"
import * as Decimal from "./domain/Decimal.ts"
import { type Session, sessionStatuses } from "./domain/Session.ts"
import { type Turn, turnStatuses, waitingFor } from "./domain/Turn.ts"
import * as Words from "./domain/Words.ts"
import type { Placed } from "./MemoryPlaces.ts"
import * as MemorySpend from "./MemorySpend.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import type { BrowserFilter, Count, Counts, Lists, Page, SessionFilter, TurnFilter } from "./ports/Lists.ts"

const isCreated = (
  { from_ms = -Infinity, to_ms = Infinity }: { readonly from_ms?: number; readonly to_ms?: number },
  at_ms: number
) => at_ms >= from_ms && at_ms < to_ms

/** Returns whether a field has the wanted value, or none is wanted. */
const is = <A>(wanted: A | undefined, value: A) => wanted === undefined || wanted === value

const isTurn = (filter: TurnFilter) => {
  const words = filter.text === undefined ? null : Words.searched(filter.text)
  return (turn: Turn): boolean =>
    isCreated(filter, turn.createdAt_ms) &&
    (filter.statuses?.includes(turn.status) ?? true) &&
    is(filter.owner, turn.owner) &&
    is(filter.sessionId, turn.sessionId) &&
    is(filter.model, turn.model) &&
    is(filter.node, turn.node) &&
    is(filter.failure, turn.failure) &&
    (filter.waiting !== true || waitingFor(turn) !== null) &&
    (filter.tag === undefined || turn.tags.includes(filter.tag)) &&
    (filter.minCost === undefined || !Decimal.isMore(filter.minCost, turn.cost ?? "0")) &&
    (filter.text === undefined || (words !== null && Words.includes(turn.task, words)))
}

const isSession =
  (filter: SessionFilter) =>
  (session: Session): boolean =>
    isCreated(filter, session.createdAt_ms) &&
    (filter.statuses?.includes(session.status) ?? true) &&
    is(filter.owner, session.owner)

const isBrowser =
  (filter: BrowserFilter) =>
  (browser: Browser): boolean =>
    isCreated(filter, browser.startedAt_ms) &&
    (filter.statuses?.includes(browser.status) ?? true) &&
    is(filter.owner, browser.owner) &&
    is(filter.node, browser.node)

/** Returns the first matching records of these places. */
const pageOf = <A>(
  places: Iterable<Placed>,
  records: ReadonlyMap<string, A>,
  fits: (record: A) => boolean,
  limit: number
): Page<A> => {
  const rows: Array<A> = []
  let last: Placed | undefined
  for (const place of places) {
    const record = records.get(place.id)
    if (record === undefined || !fits(record)) continue
    if (rows.length === limit) return { rows, next: last === undefined ? null : { at_ms: last.at_ms, n: last.n } }
    rows.push(record)
    last = place
  }
  return { rows, next: null }
}

/** Counts the matching records by status, up to a limit. */
const countsOf = <Status extends string, A extends { readonly status: Status }>(
  statuses: ReadonlyArray<Status>,
  records: Iterable<A>,
  fits: (record: A) => boolean,
  most: number
): Counts<Status> => {
  const all = new Map<Status, number>()
  for (const record of records) if (fits(record)) all.set(record.status, (all.get(record.status) ?? 0) + 1)
  const counts = statuses.map((status): [Status, Count] => {
    const count = all.get(status) ?? 0
    return [status, { count: Math.min(count, most), more: count > most }]
  })
  return Object.fromEntries(counts) as Counts<Status>
}

/** Makes the lists of a store in memory, which look at every record. */
export const make = ({ places, browsers, goneSpend, sessions, turns }: MemoryTables): Lists => ({
  turns: (filter, after, limit) =>
    Effect.sync(() => {
      const order = filter.text === undefined ? places.turns.after(after) : places.turns.byNumber(after)
      return pageOf(order, turns, isTurn(filter), limit)
    }),
  sessions: (filter, after, limit) =>
    Effect.sync(() => pageOf(places.sessions.after(after), sessions, isSession(filter), limit)),
  browsers: (filter, after, limit) =>
    Effect.sync(() => pageOf(places.browsers.after(after), browsers, isBrowser(filter), limit)),
  turnCounts: (filter, most) => Effect.sync(() => countsOf(turnStatuses, turns.values(), isTurn(filter), most)),
  sessionCounts: (filter, most) =>
    Effect.sync(() => countsOf(sessionStatuses, sessions.values(), isSession(filter), most)),
  browserCounts: (filter, most) =>
    Effect.sync(() => countsOf(browserStatuses, browsers.values(), isBrowser(filter), most)),
  spend: (filter) => Effect.sync(() => MemorySpend.of(turns.values(), goneSpend, filter)),
  costliest: (filter, limit) => Effect.sync(() => MemorySpend.costliest(turns.values(), filter, limit))
})
