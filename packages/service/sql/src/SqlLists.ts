import {
  Browser,
  type BrowserFilter,
  type Count,
  type Counts,
  type Lists,
  type Page,
  type Place,
  Session,
  type SessionFilter,
  type StoreUnavailable,
  Turn,
  type TurnCountFilter,
  type TurnFilter,
  Words
} from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { ListFill } from "./ListFill.ts"
import * as ListQuery from "./ListQuery.ts"
import { nanoOf } from "./Money.ts"
import { parsed, parsedTurn } from "./Rows.ts"
import { costliestOf, spendOf } from "./Spending.ts"
import { numbered } from "./statements.ts"
import * as TextSearch from "./TextSearch.ts"
import { read } from "./unavailable.ts"

type Row = Readonly<Record<string, unknown>>
type Ask = (query: ListQuery.Query) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** Counts of a second ago are new enough. */
const countsFor_ms = 1000

/** Number of remembered counts. */
const maxCounts = 100

/** The list of one kind of records, and how to read its filters. */
interface Kind<Filter, A extends { readonly status: string }> {
  readonly table: ListQuery.ListTable
  readonly parse: (text: unknown) => A
  readonly conditions: (filter: Filter) => ReadonlyArray<ListQuery.Condition>
  readonly ofStatus: (status: A["status"]) => ListQuery.Condition
  readonly statuses: ReadonlyArray<A["status"]>
}

/** Fields of all filters. */
interface AnyFilter {
  readonly statuses?: ReadonlyArray<string>
  readonly from_ms?: number
  readonly to_ms?: number
}

const kindsOf = (dialect: ListQuery.Dialect) => {
  const isOne = (list: string, column: string, value: string | undefined) =>
    value === undefined ? [] : [ListQuery.oneOf(dialect, list, column, [value])]
  const turns: Kind<TurnFilter, Turn.Turn> = {
    table: {
      list: "turn_list",
      records: "turns",
      status: {
        text: "coalesce(l.status, (SELECT t.status FROM turns t WHERE t.n = l.n))",
        columns: ["status"]
      }
    },
    ofStatus: (status) => ListQuery.ofStatus(dialect, [status]),
    parse: parsedTurn,
    statuses: Turn.turnStatuses,
    conditions: ({ failure, minCost = "0", model, node, owner, sessionId, statuses, tag, waiting }) => [
      ...(waiting === true ? [ListQuery.waiting(dialect)] : []),
      ...(sessionId === undefined ? [] : [ListQuery.ofSession(dialect, sessionId)]),
      ...isOne("turn_list", "failure", failure),
      ...(tag === undefined ? [] : [ListQuery.tagged(dialect, tag)]),
      ...(nanoOf(minCost) > 0 ? [ListQuery.costing(dialect, nanoOf(minCost))] : []),
      ...isOne("turn_list", "node", node),
      ...isOne("turn_list", "model", model),
      ...isOne("turn_list", "owner", owner),
      ...(statuses === undefined ? [] : [ListQuery.ofStatus(dialect, statuses)])
    ]
  }
  const sessions: Kind<SessionFilter, Session.Session> = {
    table: {
      list: "session_list",
      records: "sessions",
      status: {
        text: `CASE WHEN EXISTS (SELECT 1 FROM sessions t WHERE t.n = l.n AND t.stopped_at_ms IS NULL)
          THEN 'active' ELSE 'stopped' END`,
        columns: []
      }
    },
    ofStatus: (status) => ListQuery.isActive(dialect, status === "active"),
    parse: parsed<Session.Session>,
    statuses: Session.sessionStatuses,
    conditions: ({ owner, statuses }) => [
      ...isOne("session_list", "owner", owner),
      ...(statuses === undefined || new Set(statuses).size !== 1
        ? []
        : [ListQuery.isActive(dialect, statuses.includes("active"))])
    ]
  }
  const browsers: Kind<BrowserFilter, Browser.Browser> = {
    table: { list: "browser_list", records: "browsers", status: { text: "l.status", columns: ["status"] } },
    ofStatus: (status) => ListQuery.oneOf(dialect, "browser_list", "status", [status]),
    parse: parsed<Browser.Browser>,
    statuses: Browser.browserStatuses,
    conditions: ({ node, owner, statuses }) => [
      ...isOne("browser_list", "node", node),
      ...isOne("browser_list", "owner", owner),
      ...(statuses === undefined ? [] : [ListQuery.oneOf(dialect, "browser_list", "status", statuses)])
    ]
  }
  return { turns, sessions, browsers }
}

/** Returns whether no row can match: no status is wanted, or Postgres has no text with a value's character. */
const isEmpty = (filter: AnyFilter) =>
  filter.statuses?.length === 0 ||
  Object.values(filter).some((value) => typeof value === "string" && value.includes("\0"))

const none: Page<never> = { rows: [], next: null }

/** Makes a page of its rows. One row more than the limit means that the list continues. */
const pageOf = <A>(rows: ReadonlyArray<Row>, parse: (text: unknown) => A, limit: number): Page<A> => {
  const place = (row: Row | undefined): Place | null =>
    row === undefined ? null : { at_ms: Number(row["at"]), n: Number(row["n"]) }
  const present = rows.filter(({ record }) => record !== null)
  return present.length > limit
    ? { rows: present.slice(0, limit).map(({ record }) => parse(record)), next: place(present[limit - 1]) }
    : { rows: present.map(({ record }) => parse(record)), next: place(rows.find(({ record }) => record === null)) }
}

/** Chooses how a page finds its rows; null if there are none. */
const chosen = (ask: Ask, conditions: ReadonlyArray<ListQuery.Condition>) => {
  const [only] = conditions
  if (only === undefined) return Effect.succeed<ListQuery.Drive>({ by: null, whole: false })
  if (conditions.length === 1 && only.newest !== null) {
    return Effect.succeed<ListQuery.Drive>({ by: only, whole: false })
  }
  return Effect.map(ask(ListQuery.probe(conditions)), ([counts]) =>
    ListQuery.choose(
      conditions,
      conditions.map((_, place) => Number(counts?.[`k${place}`]))
    )
  )
}

/** Makes the lists of a database. `prepared` fails as long as they don't have all records. */
export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, prepared: ListFill) {
  const clock = yield* Clock.Clock
  const dialect = sql.onDialectOrElse({ pg: (): ListQuery.Dialect => "pg", orElse: (): ListQuery.Dialect => "sqlite" })
  // a prepared statement would get a plan of Postgres that doesn't know its values
  const ask: Ask =
    dialect === "pg"
      ? ({ text, values }) => sql.unsafe<Record<string, unknown>>(numbered(text), values).unprepared
      : ({ text, values }) => sql.unsafe<Record<string, unknown>>(text, values)
  const kinds = kindsOf(dialect)

  const pages =
    <Filter extends AnyFilter, A extends { readonly status: string }>(kind: Kind<Filter, A>) =>
    (filter: Filter, after: Place | null, limit: number): Effect.Effect<Page<A>, StoreUnavailable> => {
      if (isEmpty(filter)) return Effect.succeed(none)
      const conditions = kind.conditions(filter)
      const range = ListQuery.rangeOf(filter, after)
      const page = Effect.gen(function* () {
        const drive = yield* chosen(ask, conditions)
        if (drive === null) return none
        const read = (budget: number) =>
          Effect.map(ask(ListQuery.page(dialect, kind.table, conditions, drive, range, limit + 1, budget)), (rows) =>
            pageOf(rows, kind.parse, limit)
          )
        const [few, most] = ListQuery.budgets
        const page = yield* read(few)
        const isShort = page.next !== null && page.rows.length < limit && ListQuery.looksAt(conditions, drive)
        return isShort ? yield* read(most) : page
      })
      return Effect.andThen(prepared.lists, read(page))
    }

  const remembered = new Map<string, { readonly at_ms: number; readonly counts: Counts<string> }>()

  const hasMore = (condition: ListQuery.Condition) =>
    Effect.map(
      ask(ListQuery.probe([condition], ListQuery.countBudget)),
      ([row]) => Number(row?.["k0"]) >= ListQuery.countBudget
    )

  const countsOf = Effect.fnUntraced(function* <Filter extends AnyFilter, A extends { readonly status: string }>(
    kind: Kind<Filter, A>,
    filter: Filter,
    most: number
  ) {
    const of = kind.conditions(filter)
    const range = ListQuery.rangeOf(filter, null)
    const statuses = kind.statuses.map(kind.ofStatus)
    const [row] = yield* ask(ListQuery.probe([...of, ...statuses]))
    const rows = [...of, ...statuses].map((_, place) => Number(row?.[`k${place}`]))
    const drive = ListQuery.choose(of, rows)
    const sample =
      drive === null || of.length === 0 ? [] : yield* ask(ListQuery.grouped(dialect, kind.table, of, drive, range))
    const isCut = drive?.whole === false && sample.reduce((sum, { k }) => sum + Number(k), 0) >= ListQuery.countBudget
    const counts: Array<[string, Count]> = []
    for (const [place, status] of kind.statuses.entries()) {
      const own = statuses[place]
      if (own === undefined) continue
      const ownRows = drive === null ? 0 : (rows[of.length + place] ?? 0)
      const isRare = ownRows < ListQuery.rare
      const isExact = of.length === 0 || (isRare && isCut)
      const [counted] =
        ownRows > 0 && isExact
          ? yield* ask(ListQuery.count(dialect, kind.table, of, { by: own, whole: isRare }, range, most + 1))
          : sample.filter((each) => each["status"] === status && Number(each["fits"]) === 1)
      const count = Number(counted?.["k"] ?? 0)
      // of more records than a count reads, some may be in the range that were not read
      const isPart = isExact && !isRare && own.newest === null && range.length > 0 && (yield* hasMore(own))
      counts.push([status, { count: Math.min(count, most), more: count > most || (isCut && !isRare) || isPart }])
    }
    return Object.fromEntries(counts)
  })

  const counts =
    <Filter extends AnyFilter, A extends { readonly status: string }>(kind: Kind<Filter, A>) =>
    (filter: Filter, most: number): Effect.Effect<Counts<A["status"]>, StoreUnavailable> =>
      Effect.suspend(() => {
        const key = JSON.stringify([kind.table.list, most, Object.entries(filter).toSorted()])
        const before = remembered.get(key)
        const now_ms = clock.currentTimeMillisUnsafe()
        if (before !== undefined && now_ms - before.at_ms < countsFor_ms) {
          return Effect.succeed(before.counts as Counts<A["status"]>)
        }
        if (isEmpty(filter)) {
          const zero = kind.statuses.map((status) => [status, { count: 0, more: false }])
          return Effect.succeed(Object.fromEntries(zero) as Counts<A["status"]>)
        }
        return Effect.map(Effect.andThen(prepared.lists, read(countsOf(kind, filter, most))), (all) => {
          remembered.delete(key)
          const [oldest] = remembered.keys()
          if (oldest !== undefined && remembered.size >= maxCounts) remembered.delete(oldest)
          remembered.set(key, { at_ms: now_ms, counts: all })
          return all as Counts<A["status"]>
        })
      })

  const turns = pages(kinds.turns)

  const withText = (filter: TurnFilter, text: string, after: Place | null, limit: number) => {
    const words = Words.searched(text)
    if (words === null || isEmpty(filter)) return Effect.succeed(none)
    const others = [...kinds.turns.conditions(filter).map(({ fits }) => fits), ...ListQuery.rangeOf(filter, null)]
    const matches = TextSearch.search(dialect, ask, words, others, after, limit + 1)
    const rows = Effect.map(read(matches), (all) => pageOf(all, parsedTurn, limit))
    return Effect.andThen(Effect.andThen(prepared.lists, prepared.texts), rows)
  }

  const lists: Lists = {
    turns: (filter, after, limit) =>
      filter.text === undefined ? turns(filter, after, limit) : withText(filter, filter.text, after, limit),
    sessions: pages(kinds.sessions),
    browsers: pages(kinds.browsers),
    turnCounts: counts<TurnCountFilter, Turn.Turn>(kinds.turns),
    sessionCounts: counts(kinds.sessions),
    browserCounts: counts(kinds.browsers),
    spend: (filter) => Effect.andThen(prepared.spend, read(spendOf(sql, filter))),
    costliest: (filter, limit) => Effect.andThen(prepared.lists, read(costliestOf(sql, filter, limit)))
  }
  return lists
})
