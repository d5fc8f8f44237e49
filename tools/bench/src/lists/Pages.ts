import { type Place, Store, type TurnFilter } from "@webagent/engine"
import { drawing } from "@webagent/statistics/Drawing"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Times, timesOf } from "../measure/Times.ts"
import { days_ms, start_ms } from "./Filling.ts"

/** Rows of a page. */
const limit = 50

const day_ms = 86_400_000

/** Measured lists, by name. */
const filters: Readonly<Record<string, TurnFilter>> = {
  "no filter": {},
  "owner of 60 %": { owner: "key_1" },
  "owner of 0.1 %": { owner: "key_5" },
  "status, 12 %": { statuses: ["failed"] },
  "two statuses, 17 %": { statuses: ["failed", "cancelled"] },
  "running, 20 rows": { statuses: ["running"] },
  "model, 10 rows": { model: "model-rare" },
  "node, 8 %": { node: "node-3" },
  "tag, 0.4 %": { tag: "tag-7" },
  "tag, 10 rows": { tag: "rare" },
  session: { sessionId: "session-4711" },
  "one day": { from_ms: start_ms + 40 * day_ms, to_ms: start_ms + 41 * day_ms },
  "cost, 46 rows": { minCost: "4.5" },
  "cost, 75 %": { minCost: "1" },
  "owner of 60 %, failed": { owner: "key_1", statuses: ["failed"] },
  "owner of 0.1 %, failed": { owner: "key_5", statuses: ["failed"] },
  "failed, cost of 46 rows": { statuses: ["failed"], minCost: "4.5" },
  "owner of 4.9 %, failed, node, model": {
    owner: "key_4",
    statuses: ["failed"],
    node: "node-3",
    model: "model-2"
  },
  "text, 10 rows": { text: "zeppelin" },
  "text, 10 %": { text: "umbrella" },
  "text, every run": { text: "cheapest red mug" },
  "text, beginning of a word": { text: "mug zep" },
  "text, no run": { text: "submarine" },
  "text of 10 %, owner of 0.1 %": { text: "umbrella", owner: "key_5" }
}

/** Times of one list: a page of the store, and the same rows by the plainest statement. */
export interface PageTimes {
  readonly page: Times
  /** Null for a text, which no plain statement finds in reasonable time. */
  readonly plain: Times | null
  /** Mean number of rows of a page. */
  readonly rows: number
}

const timed = Effect.fnUntraced(function* <A, E, R>(took: Array<number>, effect: Effect.Effect<A, E, R>) {
  const began = performance.now()
  const result = yield* effect
  took.push(performance.now() - began)
  return result
})

/** The rows of a page by one statement over the same tables, with the plan that the database chooses. */
const plainPage = Effect.fnUntraced(function* (filter: TurnFilter, after: Place | null) {
  const sql = yield* SqlClient.SqlClient
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${sql(column)} = ${value}`]
  const where = sql.and([
    sql`1 = 1`,
    ...equal("l.owner", filter.owner),
    ...equal("l.model", filter.model),
    ...equal("l.node", filter.node),
    ...equal("t.session_id", filter.sessionId),
    ...(filter.statuses === undefined ? [] : [sql.in("t.status", [...filter.statuses])]),
    ...(filter.tag === undefined ? [] : [sql`l.n IN (SELECT n FROM turn_tags WHERE tag = ${filter.tag})`]),
    ...(filter.minCost === undefined ? [] : [sql`l.nano >= ${Number(filter.minCost) * 1e9}`]),
    ...(filter.from_ms === undefined ? [] : [sql`l.created_at_ms >= ${filter.from_ms}`]),
    ...(filter.to_ms === undefined ? [] : [sql`l.created_at_ms < ${filter.to_ms}`]),
    ...(after === null ? [] : [sql`(l.created_at_ms, l.n) < (${after.at_ms}, ${after.n})`])
  ])
  return yield* sql`SELECT l.created_at_ms, l.n, t.record FROM turn_list l JOIN turns t ON t.n = l.n WHERE ${where}
    ORDER BY l.created_at_ms DESC, l.n DESC LIMIT ${limit}`
})

/** Reads pages of every list, half of them at a place anywhere in it. */
export const measurePages = Effect.fnUntraced(function* (runs: number, times: number, log: (line: string) => void) {
  const { lists } = yield* Store
  const draw = drawing(1)
  const measured: Record<string, PageTimes> = {}
  for (const [name, filter] of Object.entries(filters)) {
    log(name)
    const page: Array<number> = []
    const plain: Array<number> = []
    let rows = 0
    for (let count = 0; count < times; count++) {
      const i = Math.floor(draw() * runs)
      const after = count % 2 === 0 ? null : { at_ms: start_ms + Math.floor((i * days_ms) / runs), n: i }
      rows += (yield* timed(page, lists.turns(filter, after, limit))).rows.length
      // dear statements are measured less often, and end after 5 s on Postgres
      const isDear = plain.length > 10 && plain.reduce((sum, took) => sum + took, 0) > 3000
      if (filter.text === undefined && !isDear) yield* timed(plain, Effect.ignore(plainPage(filter, after)))
      yield* Effect.yieldNow
    }
    const plainTimes = plain.length === 0 ? null : timesOf(plain)
    measured[name] = { page: timesOf(page), plain: plainTimes, rows: rows / times }
  }
  return measured
})

/** Measures counts and sums. Every second count is remembered for a second, so each has another filter. */
export const measureSums = Effect.fnUntraced(function* (times: number) {
  const { lists } = yield* Store
  const cases: Readonly<Record<string, (round: number) => Effect.Effect<unknown, unknown>>> = {
    "counts by status, all": (round) => lists.turnCounts({ from_ms: round }, 10_000),
    "counts by status, owner of 60 %": (round) => lists.turnCounts({ owner: "key_1", from_ms: round }, 10_000),
    "counts by status, owner of 0.1 %": (round) => lists.turnCounts({ owner: "key_5", from_ms: round }, 10_000),
    "counts by status, node and model": (round) =>
      lists.turnCounts({ node: "node-3", model: "model-2", from_ms: round }, 10_000),
    "counts of sessions": (round) => lists.sessionCounts({ from_ms: round }, 10_000),
    "page of sessions": () => lists.sessions({ owner: "key_1" }, null, limit),
    "spend of one day": (round) =>
      lists.spend({ from_ms: start_ms + (round % 80) * day_ms, to_ms: start_ms + ((round % 80) + 1) * day_ms }),
    "spend of 30 days": (round) =>
      lists.spend({ from_ms: start_ms + (round % 50) * day_ms, to_ms: start_ms + ((round % 50) + 30) * day_ms })
  }
  const measured: Record<string, Times> = {}
  for (const [name, of] of Object.entries(cases)) {
    const took: Array<number> = []
    for (let round = 0; round < times; round++) yield* timed(took, of(round))
    measured[name] = timesOf(took)
  }
  return measured
})
