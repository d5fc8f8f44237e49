import { type Place, Turn } from "@webagent/engine"

/** A statement with `?` for each value. */
export interface Query {
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

/** The databases, whose statements differ in how an index is named and how a join keeps its order. */
export type Dialect = "sqlite" | "pg"

/** A part of a filter, with how to find its rows. */
export interface Condition {
  /** Selects a row for each of its rows, up to a number, to choose the condition with the fewest. */
  readonly count: (most: number) => Query
  /** True of a row of the list, by the name `l`. */
  readonly fits: Query
  /** The column that `fits` reads in addition to the place. */
  readonly column: string | null
  /**
   * Selects these columns of its newest rows; null if no index has its rows in the order of the list, so that only all
   * of them can be read.
   */
  readonly newest: ((columns: string, range: Query, most: number) => Query) | null
  /** Selects these columns of all its rows. */
  readonly all: (columns: string, range: Query) => Query
}

/** A list and the table of its records. */
export interface ListTable {
  readonly list: string
  readonly records: string
  /** The status of a row `l`, and the columns of the list that it reads. */
  readonly status: { readonly text: string; readonly columns: ReadonlyArray<string> }
}

/** A condition with fewer rows than this is read whole. */
export const rare = 1000

/**
 * Maximum number of rows that one page reads, so that its time doesn't depend on the data: a few at first, because these
 * fill most pages.
 */
export const budgets = [600, 2000] as const

/** Maximum number of rows that a count with several conditions reads. */
export const countBudget = 12_000

type Part = string | number | Query

const textOf = (part: Part) => (typeof part === "object" ? part.text : String(part))

const valuesOf = (part: Part) => (typeof part === "object" ? part.values : [])

/** Makes a query of texts and parts. */
export const query = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Query => ({
  text: texts.reduce((before, text, place) => `${before}${textOf(parts[place - 1] ?? "")}${text}`),
  values: parts.flatMap(valuesOf)
})

/** Makes a query of a text and the values in it. */
export const raw = (text: string, ...values: ReadonlyArray<string | number>): Query => ({ text, values })

/** Joins queries by a text between them. */
const joined = (queries: ReadonlyArray<Query>, between: string): Query => ({
  text: queries.map(({ text }) => text).join(between),
  values: queries.flatMap(({ values }) => values)
})

/** Joins conditions with AND, after `before`; nothing if there are none. */
export const allOf = (before: string, conditions: ReadonlyArray<Query>): Query =>
  conditions.length === 0 ? raw("") : query`${before} ${joined(conditions, " AND ")}`

/** Limits rows to creation times and to those after a place. */
export const rangeOf = (
  { from_ms, to_ms }: { readonly from_ms?: number; readonly to_ms?: number },
  after: Place | null
): ReadonlyArray<Query> => [
  ...(from_ms === undefined ? [] : [raw("l.created_at_ms >= ?", from_ms)]),
  ...(to_ms === undefined ? [] : [raw("l.created_at_ms < ?", to_ms)]),
  ...(after === null ? [] : [raw("(l.created_at_ms, l.n) < (?, ?)", after.at_ms, after.n)])
]

const newestFirst = "ORDER BY l.created_at_ms DESC, l.n DESC"

/** Names an index, because SQLite has no statistics to choose one. */
const by = (dialect: Dialect, index: string) => (dialect === "sqlite" ? `INDEXED BY ${index}` : "")

/** Joins the rows of a list to places `g`, one after the other. */
export const listed = (dialect: Dialect, list: string) =>
  dialect === "sqlite"
    ? `CROSS JOIN ${list} l ON l.n = g.n`
    : `CROSS JOIN LATERAL (SELECT * FROM ${list} WHERE n = g.n LIMIT 1) l`

/** A column has one of these values. */
export const oneOf = (dialect: Dialect, list: string, column: string, wanted: ReadonlyArray<string>): Condition => {
  const index = by(dialect, `${list}_${column}`)
  const values = wanted.map(() => "?").join(", ")
  const fits = raw(wanted.length === 1 ? `l.${column} = ?` : `l.${column} IN (${values})`, ...wanted)
  const of = (columns: string, value: string, range: Query, most: number) =>
    query`SELECT ${columns} FROM ${list} l ${index} WHERE ${raw(`l.${column} = ?`, value)} ${range} ${newestFirst} LIMIT ${most}`
  return {
    count: (most) => query`SELECT 1 FROM ${list} l ${index} WHERE ${fits} LIMIT ${most}`,
    fits,
    column,
    // the index has the rows of each value in the order of the list
    newest: (columns, range, most) =>
      wanted.length === 1
        ? of(columns, wanted[0] ?? "", range, most)
        : query`SELECT ${columns} FROM (${joined(
            wanted.map((value, place) => query`SELECT * FROM (${of(columns, value, range, most)}) x${place}`),
            " UNION ALL "
          )}) l ${newestFirst} LIMIT ${most}`,
    all: (columns, range) => query`SELECT ${columns} FROM ${list} l ${index} WHERE ${fits} ${range}`
  }
}

/** A turn has a tag. */
export const tagged = (dialect: Dialect, tag: string): Condition => {
  const of = raw("l.tag = ?", tag)
  const rowsOf = (columns: string, places: Query) =>
    query`SELECT ${columns} FROM (${places}) g ${listed(dialect, "turn_list")}`
  return {
    count: (most) => query`SELECT 1 FROM turn_tags l WHERE ${of} LIMIT ${most}`,
    fits: raw(
      "EXISTS (SELECT 1 FROM turn_tags g WHERE g.tag = ? AND g.created_at_ms = l.created_at_ms AND g.n = l.n)",
      tag
    ),
    column: null,
    newest: (columns, range, most) =>
      rowsOf(columns, query`SELECT l.n FROM turn_tags l WHERE ${of} ${range} ${newestFirst} LIMIT ${most}`),
    all: (columns, range) => rowsOf(columns, query`SELECT l.n FROM turn_tags l WHERE ${of} ${range}`)
  }
}

/** A turn costs at least this much, which is more than nothing. */
export const costing = (dialect: Dialect, nano: number): Condition => {
  const fits = raw("l.nano >= ? AND l.nano > 0", nano)
  const from = `turn_list l ${by(dialect, "turn_list_cost")}`
  return {
    count: (most) => query`SELECT 1 FROM ${from} WHERE ${fits} LIMIT ${most}`,
    fits,
    column: "nano",
    newest: null,
    all: (columns, range) => query`SELECT ${columns} FROM ${from} WHERE ${fits} ${range}`
  }
}

/** A turn is of a session. Its turns have no index in the order of lists, so all of them are read. */
export const ofSession = (dialect: Dialect, sessionId: string): Condition => {
  const turns = raw("SELECT n FROM turns WHERE session_id = ?", sessionId)
  const all = (columns: string, range: Query) =>
    query`SELECT ${columns} FROM (${turns}) g ${listed(dialect, "turn_list")} WHERE 1 = 1 ${range}`
  return {
    count: (most) => query`SELECT 1 FROM (${turns}) x LIMIT ${most}`,
    fits: query`l.n IN (${turns})`,
    column: null,
    newest: (columns, range, most) => query`${all(columns, range)} ${newestFirst} LIMIT ${most}`,
    all
  }
}

/**
 * Rows whose records are so, by an index of the records. The list has no copy of what changes with the steps of a run,
 * because a commit would write it and its index.
 */
const ofRecords = (
  dialect: Dialect,
  { list, records }: Pick<ListTable, "list" | "records">,
  so: Query,
  newest: string
): Condition => ({
  count: (most) => query`SELECT 1 FROM ${records} WHERE ${so} LIMIT ${most}`,
  fits: query`EXISTS (SELECT 1 FROM ${records} t WHERE t.n = l.n AND ${so})`,
  column: null,
  newest: null,
  all: (columns, range) =>
    query`SELECT ${columns} FROM (SELECT n FROM ${records} WHERE ${so} ORDER BY ${newest} DESC LIMIT ${countBudget}) g
      ${listed(dialect, list)} WHERE 1 = 1 ${range}`
})

/** A row fits one of two conditions, which have no row in common. */
const either = (one: Condition, other: Condition): Condition => {
  const both = (left: Query, right: Query) => query`SELECT * FROM (${left}) a UNION ALL SELECT * FROM (${right}) b`
  return {
    count: (most) => query`${both(one.count(most), other.count(most))} LIMIT ${most}`,
    fits: query`(${one.fits} OR ${other.fits})`,
    column: one.column,
    newest: null,
    all: (columns, range) => both(one.all(columns, range), other.all(columns, range))
  }
}

/** A turn has one of these statuses. The list has those of turns that are over, and the turns have the others. */
export const ofStatus = (dialect: Dialect, wanted: ReadonlyArray<string>): Condition => {
  const over = wanted.filter(Turn.isTerminal)
  const open = wanted.filter((status) => !Turn.isTerminal(status))
  const isOver = oneOf(dialect, "turn_list", "status", over)
  if (open.length === 0) return isOver
  const so = raw(`ended_at_ms IS NULL AND status IN (${open.map(() => "?").join(", ")})`, ...open)
  const records = ofRecords(dialect, { list: "turn_list", records: "turns" }, so, "n")
  const isOpen: Condition = { ...records, fits: query`(l.status IS NULL AND ${records.fits})`, column: "status" }
  return over.length === 0 ? isOpen : either(isOver, isOpen)
}

/** A turn waits for a person. A server of the version before may have ended it without a change of the column. */
export const waiting = (dialect: Dialect): Condition =>
  ofRecords(
    dialect,
    { list: "turn_list", records: "turns" },
    raw("waiting_since_ms IS NOT NULL AND ended_at_ms IS NULL"),
    "waiting_since_ms"
  )

/** A session is active, or stopped. */
export const isActive = (dialect: Dialect, active: boolean): Condition => {
  const sessions = { list: "session_list", records: "sessions" }
  return active
    ? ofRecords(dialect, sessions, raw("stopped_at_ms IS NULL"), "n")
    : ofRecords(dialect, sessions, raw("stopped_at_ms IS NOT NULL"), "stopped_at_ms")
}

/** Counts the rows of each condition, up to `most`: one statement. */
export const probe = (conditions: ReadonlyArray<Condition>, most = rare): Query =>
  query`SELECT ${joined(
    conditions.map(({ count }, place) => query`(SELECT count(*) FROM (${count(most)}) x${place}) AS k${place}`),
    ", "
  )}`

/** Plan of a page: the condition that drives it, and whether all rows of that condition are read. */
export interface Drive {
  readonly by: Condition | null
  readonly whole: boolean
}

/** Chooses the condition with the fewest rows; null if one has none, so that the list is empty. */
export const choose = (conditions: ReadonlyArray<Condition>, counts: ReadonlyArray<number>): Drive | null => {
  let best: Condition | null = null
  let fewest = Infinity
  for (const [place, condition] of conditions.entries()) {
    const count = counts[place] ?? 0
    if (count === 0) return null
    if (count >= fewest || (count >= rare && condition.newest === null)) continue
    best = condition
    fewest = count
  }
  return { by: best, whole: fewest < rare }
}

/** Rows of the list by the drive, with these columns: all, or the newest of them. */
const seenBy = (
  dialect: Dialect,
  { list }: ListTable,
  { by: best, whole }: Drive,
  read: ReadonlyArray<string>,
  range: ReadonlyArray<Query>,
  most: number
): Query => {
  const columns = ["created_at_ms", "n", ...read].map((column) => `l.${column}`).join(", ")
  if (best === null) {
    return query`SELECT ${columns} FROM ${list} l ${by(dialect, `${list}_created`)} ${allOf("WHERE", range)}
      ${newestFirst} LIMIT ${most}`
  }
  return whole || best.newest === null
    ? best.all(columns, allOf("AND", range))
    : best.newest(columns, allOf("AND", range), most)
}

/** The columns that conditions read. */
const columnsOf = (conditions: ReadonlyArray<Condition>) => conditions.flatMap(({ column }) => column ?? [])

const fitting = (others: ReadonlyArray<Condition>) =>
  allOf(
    "WHERE",
    others.map(({ fits }) => fits)
  )

/** Returns whether a page looks at rows that may not match, so that it has a budget. */
export const looksAt = (conditions: ReadonlyArray<Condition>, drive: Drive): boolean =>
  !drive.whole && conditions.some((condition) => condition !== drive.by)

/**
 * Selects the next matching records as `at`, `n` and `record`, at most `limit`, and the last place that the page looked
 * at as a row without a record. Both come from one statement: between two, a row that is added or changes moves the
 * place, and rows would be missed or returned twice. The text begins with SELECT, because the SQLite client sends others
 * to the connection that writes.
 */
export const page = (
  dialect: Dialect,
  table: ListTable,
  conditions: ReadonlyArray<Condition>,
  drive: Drive,
  range: ReadonlyArray<Query>,
  limit: number,
  budget: number
): Query => {
  const others = conditions.filter((condition) => condition !== drive.by)
  const looks = looksAt(conditions, drive)
  const seen = seenBy(dialect, table, drive, columnsOf(others), range, looks ? budget : limit)
  const matches = (rows: Query) =>
    query`SELECT l.created_at_ms AS at, l.n FROM ${rows} l ${fitting(others)} ${newestFirst} LIMIT ${limit}`
  const records = (rows: Query) =>
    query`SELECT p.at, p.n, t.record FROM (${matches(rows)}) p ${dialect === "pg" ? "JOIN" : "CROSS JOIN"} ${table.records} t ON t.n = p.n`
  // Postgres would otherwise look for them among all rows in the order of the page
  if (!looks)
    return query`SELECT * FROM (WITH seen AS MATERIALIZED (${seen}) ${records(raw("seen"))}) y ORDER BY at DESC, n DESC`
  return query`SELECT * FROM (WITH seen AS MATERIALIZED (${seen}) ${records(raw("seen"))}
    UNION ALL SELECT * FROM (SELECT created_at_ms AS at, n, NULL AS record FROM seen
      ORDER BY created_at_ms DESC, n DESC LIMIT 1 OFFSET ${budget - 1}) z) y ORDER BY at DESC, n DESC`
}

/** Counts the matching rows of one status as `k`, up to `most`. */
export const count = (
  dialect: Dialect,
  table: ListTable,
  others: ReadonlyArray<Condition>,
  drive: Drive,
  range: ReadonlyArray<Query>,
  most: number
): Query =>
  query`SELECT count(*) AS k FROM
    (SELECT 1 FROM (${seenBy(dialect, table, drive, columnsOf(others), range, most)}) l ${fitting(others)} LIMIT ${most}) c`

/** Counts the newest rows of the drive, at most `countBudget`, as `k` by their `status` and whether they match, `fits`. */
export const grouped = (
  dialect: Dialect,
  table: ListTable,
  conditions: ReadonlyArray<Condition>,
  drive: Drive,
  range: ReadonlyArray<Query>
): Query => {
  const others = conditions.filter((condition) => condition !== drive.by)
  const columns = [...new Set([...columnsOf(others), ...table.status.columns])]
  const seen = seenBy(dialect, table, drive, columns, range, countBudget)
  const fits =
    others.length === 0
      ? raw("1")
      : query`CASE WHEN ${joined(
          others.map((each) => each.fits),
          " AND "
        )} THEN 1 ELSE 0 END`
  return query`SELECT status, fits, count(*) AS k FROM (SELECT ${table.status.text} AS status, ${fits} AS fits FROM (${seen}) l) c GROUP BY status, fits`
}
