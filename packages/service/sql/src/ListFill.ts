import { ListsPreparing, StoreUnavailable } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import { fillOf } from "./postgresListTables.ts"
import { spendFillOf } from "./spendTables.ts"
import { read } from "./unavailable.ts"

/** The parts of a store's lists that are filled after the records. */
export interface ListFill {
  /** Fails with the percentage as long as lists don't have all records. */
  readonly lists: Effect.Effect<void, StoreUnavailable>
  /** The same for the words of tasks. */
  readonly texts: Effect.Effect<void, StoreUnavailable>
  /** The same for the cost by day. */
  readonly spend: Effect.Effect<void, StoreUnavailable>
  /** Tells after each commit that there may be new records. */
  readonly committed: Effect.Effect<void>
}

/** Number of records that are added to a list at once; requests for them wait meanwhile. */
const chunk = 500

/** Number of rows of the list whose cost is added at once. */
const spendChunk = 5000

/** Turns without an entry in the text index up to which a search adds them itself. */
const fewTexts = 2000

const preparing = (done: number, all: number) =>
  new StoreUnavailable({ applied: "no", cause: new ListsPreparing({ percent: Math.floor((100 * done) / all) }) })

/** Runs rounds while the store is open, until one is done. The clock is the real one, because databases use real time. */
const inBackground = (round: Effect.Effect<boolean, unknown>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    for (;;) {
      // a database that is away is tried again
      const isDone = yield* Effect.orElseSucceed(round, () => false)
      if (isDone) return
      yield* Effect.sleep("1 second")
    }
  }).pipe(Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()), Effect.forkScoped, Effect.asVoid)

/** Fills the lists of Postgres after a migration. Of several nodes, one adds a chunk at a time. */
const inPostgres = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  type Part = "lists" | "spend"
  const filled = new Set<Part>()

  const progress = Effect.map(
    sql<{ readonly part: Part; readonly last: number; readonly until: number }>`
      SELECT CASE name WHEN 'spend' THEN 'spend' ELSE 'lists' END AS part, sum(last)::bigint AS last,
        sum(until)::bigint AS until FROM list_fill GROUP BY 1`,
    (rows) => {
      for (const { last, part, until } of rows) if (last >= until) filled.add(part)
      return rows
    }
  )

  /** Adds the next records to a list; false if another node is doing so, or all are there. */
  const addChunk = sql.withTransaction(
    Effect.gen(function* () {
      const [open] = yield* sql<{ readonly name: string; readonly last: number; readonly until: number }>`
        SELECT name, last, until FROM list_fill WHERE last < until
          ORDER BY name = 'spend', name LIMIT 1 FOR UPDATE SKIP LOCKED`
      if (open === undefined) return false
      const { last, name, until } = open
      const isSpend = name === "spend"
      const [end] = yield* sql<{ readonly n: number | null }>`SELECT max(n) AS n FROM (SELECT n
        FROM ${sql(isSpend ? "turn_list" : name)} WHERE n > ${last} AND n <= ${until}
        ORDER BY n LIMIT ${isSpend ? spendChunk : chunk}) AS t`
      const to = end?.n ?? until
      yield* sql.unsafe(isSpend ? spendFillOf(last, to) : fillOf(name, last, to)).unprepared
      yield* sql`UPDATE list_fill SET last = ${to} WHERE name = ${name}`
      return true
    })
  )

  yield* inBackground(
    Effect.gen(function* () {
      yield* progress
      if (filled.size === 2) return true
      while (yield* addChunk) yield* Effect.sleep("5 millis")
      return false
    })
  )

  const ready = (part: Part) =>
    Effect.suspend(() =>
      filled.has(part)
        ? Effect.void
        : Effect.flatMap(read(progress), (parts) => {
            const { last, until } = parts.find((each) => each.part === part) ?? { last: 0, until: 1 }
            return filled.has(part) ? Effect.void : Effect.fail(preparing(last, until))
          })
    )
  const lists = ready("lists")
  const fill: ListFill = { lists, texts: lists, spend: ready("spend"), committed: Effect.void }
  return fill
})

/** Adds new turns to SQLite's text index, many at once: in the commit of each create, it would take longer than that. */
const inSqlite = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const left = Effect.map(
    sql<{ readonly last: number; readonly newest: number }>`SELECT last,
      (SELECT coalesce(max(n), 0) FROM turns) AS newest FROM text_fill`,
    ([row]) => row ?? { last: 0, newest: 0 }
  )

  const addChunk = sql.withTransaction(
    Effect.gen(function* () {
      const { last } = yield* left
      const [end] = yield* sql<{ readonly n: number | null }>`SELECT max(n) AS n FROM
        (SELECT n FROM turns WHERE n > ${last} ORDER BY n LIMIT ${chunk})`
      const to = end?.n ?? null
      if (to === null) return false
      yield* sql`INSERT INTO turn_texts (rowid, task)
        SELECT n, CASE WHEN json_valid(record) THEN record ->> '$.task' END
        FROM turns WHERE n > ${last} AND n <= ${to}`
      yield* sql`UPDATE text_fill SET last = ${to}`
      return true
    })
  )

  /** Open after a commit, so that a store without commits reads nothing. */
  const committed = Latch.makeUnsafe(true)
  const addAll = Effect.gen(function* () {
    const { last, newest } = yield* left
    if (last >= newest) return
    while (yield* addChunk) yield* Effect.sleep("5 millis")
  })

  yield* inBackground(
    committed.await.pipe(
      Effect.andThen(committed.close),
      Effect.andThen(addAll),
      Effect.tapError(() => committed.open),
      Effect.as(false)
    )
  )

  const texts = Effect.gen(function* () {
    const { last, newest } = yield* left
    if (newest - last > fewTexts) return { last, newest }
    if (last < newest) while (yield* addChunk) yield* Effect.yieldNow
    return null
  })
  const fill: ListFill = {
    lists: Effect.void,
    spend: Effect.void,
    texts: Effect.flatMap(read(texts), (missing) =>
      missing === null ? Effect.void : Effect.fail(preparing(missing.last, missing.newest))
    ),
    committed: Effect.asVoid(committed.open)
  }
  return fill
})

/** Starts to fill the lists of a database. */
export const make = (sql: SqlClient.SqlClient): Effect.Effect<ListFill, never, Scope.Scope> =>
  sql.onDialectOrElse({ pg: () => inPostgres(sql), orElse: () => inSqlite(sql) })
