import { type Place, Words } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import * as ListQuery from "./ListQuery.ts"
import { parsedTurn } from "./Rows.ts"

type Row = Readonly<Record<string, unknown>>

/** Carries out a query. */
type Ask = (query: ListQuery.Query) => Effect.Effect<ReadonlyArray<Row>, SqlError>

const { allOf, query, raw } = ListQuery

/** Number of turns with the words that a page reads if other conditions apply. */
const textBudget = 1000

/** Number of the newest turns that Postgres reads before it uses its index, which finds all turns with a word. */
const newest = 500

/** Turns with the words, of those, from which they are so common that the index would find too many. */
const common = 10

/** Records of turns `g` that fit, in the order of creation. */
const recordsOf = (dialect: ListQuery.Dialect, places: string, others: ReadonlyArray<ListQuery.Query>, limit: number) =>
  query`SELECT l.created_at_ms AS at, l.n, t.record FROM (SELECT l.* FROM ${places} g
    ${ListQuery.listed(dialect, "turn_list")} ${allOf("WHERE", others)} ORDER BY l.n DESC LIMIT ${limit}) l
    ${dialect === "pg" ? "JOIN" : "CROSS JOIN"} turns t ON t.n = l.n`

/** Selects records among the turns that an index finds, with the last place that was looked at as a row without one. */
const matching = (
  dialect: ListQuery.Dialect,
  places: (most: number) => ListQuery.Query,
  others: ReadonlyArray<ListQuery.Query>,
  limit: number
) => {
  const most = others.length === 0 ? limit : textBudget
  return query`SELECT * FROM (WITH seen AS MATERIALIZED (${places(most)}) ${recordsOf(dialect, "seen", others, limit)}
    UNION ALL SELECT * FROM (SELECT 0 AS at, n, NULL AS record FROM seen ORDER BY n DESC LIMIT 1 OFFSET ${most - 1}) z) y
    ORDER BY n DESC`
}

const before = (column: string, after: Place | null) => (after === null ? raw("") : raw(`AND ${column} < ?`, after.n))

/** The words as SQLite's FTS5 reads them. */
const matchOf = ({ prefix, whole }: Words.Words): string =>
  [...whole.map((word) => `"${word}"`), ...(prefix === null ? [] : [`"${prefix}" *`])].join(" AND ")

/** The words as Postgres reads them. */
const tsqueryOf = ({ prefix, whole }: Words.Words): string =>
  [...whole.map((word) => `'${word}'`), ...(prefix === null ? [] : [`'${prefix}':*`])].join(" & ")

/** Number of the newest turns whose records SQLite reads before it uses its index. */
const newestInFile = 200

/** Number of matches among them from which SQLite does not use its index. */
const commonInFile = 20

/** Searches in SQLite, whose index reads all turns with a beginning of a word before it returns the first one. */
const searchFile = (
  ask: Ask,
  words: Words.Words,
  others: ReadonlyArray<ListQuery.Query>,
  after: Place | null,
  limit: number
): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  const fits = others.length === 0 ? raw("1") : allOf("", others)
  const walk = query`SELECT l.created_at_ms AS at, l.n, ${fits} AS fits, t.record FROM turn_list l
    CROSS JOIN turns t ON t.n = l.n WHERE 1 = 1 ${before("l.n", after)} ORDER BY l.n DESC LIMIT ${newestInFile}`
  const match = raw("turn_texts MATCH ?", matchOf(words))
  const all = matching(
    "sqlite",
    (most) =>
      query`SELECT rowid AS n FROM turn_texts WHERE ${match} ${before("rowid", after)} ORDER BY rowid DESC LIMIT ${most}`,
    others,
    limit
  )
  return Effect.flatMap(ask(walk), (rows) => {
    const matching = rows.filter(({ record }) => Words.includes(parsedTurn(record).task ?? "", words))
    const near = matching.filter((row) => Number(row["fits"]) === 1).slice(0, limit)
    if (near.length >= limit || rows.length < newestInFile) return Effect.succeed(near)
    const end = { at: 0, n: rows.at(-1)?.["n"], record: null }
    return matching.length >= commonInFile ? Effect.succeed([...near, end]) : ask(all)
  })
}

/**
 * Finds turns with these words that fit, at most `limit`, in the order of creation: rows `at`, `n` and `record`. The last
 * place that was looked at is a row without a record if there may be more.
 */
export const search = (
  dialect: ListQuery.Dialect,
  ask: Ask,
  words: Words.Words,
  others: ReadonlyArray<ListQuery.Query>,
  after: Place | null,
  limit: number
): Effect.Effect<ReadonlyArray<Row>, SqlError> => {
  if (dialect === "sqlite") return searchFile(ask, words, others, after, limit)
  const fits = raw("words @@ to_tsquery('simple', ?)", tsqueryOf(words))
  const walk = query`SELECT * FROM (WITH seen AS MATERIALIZED (SELECT n, ${fits} AS fits FROM turn_texts
      WHERE 1 = 1 ${before("n", after)} ORDER BY n DESC LIMIT ${newest}),
    matches AS MATERIALIZED (SELECT n FROM seen WHERE fits)
    SELECT r.*, 0 AS looked, 0 AS matched FROM (${recordsOf(dialect, "matches", others, limit)}) r
    UNION ALL SELECT 0 AS at, coalesce(min(n), 0), NULL AS record, count(*), count(*) FILTER (WHERE fits) FROM seen) y
    ORDER BY n DESC`
  return Effect.flatMap(ask(walk), (rows) => {
    const end = rows.find(({ record }) => record === null)
    const near = rows.filter(({ record }) => record !== null)
    if (near.length >= limit || Number(end?.["looked"]) < newest) return Effect.succeed(near)
    if (Number(end?.["matched"]) >= common) return Effect.succeed(rows)
    // the planner would otherwise walk over all turns for a rare word, because the order is that of the primary key
    const all = query`SELECT n FROM turn_texts WHERE ${fits} ${before("n", after)}`
    return ask(
      matching(
        dialect,
        (most) =>
          query`SELECT n FROM (WITH x AS MATERIALIZED (${all}) SELECT n FROM x) x ORDER BY n DESC LIMIT ${most}`,
        others,
        limit
      )
    )
  })
}
