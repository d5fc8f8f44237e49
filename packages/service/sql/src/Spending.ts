import type { Spend, SpendFilter } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { usdOf } from "./Money.ts"

const day_ms = 86_400_000

/** Returns the cost of the turns that finished on these days, from an index that has everything that is summed. */
export const spendOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { from_ms, owner, to_ms }: SpendFilter) {
  const index = sql.onDialectOrElse({
    pg: () => sql.literal(""),
    orElse: () => sql.literal("INDEXED BY turn_list_spend")
  })
  const own = owner === undefined ? sql`1 = 1` : sql`owner = ${owner}`
  const [first] = yield* sql<{ readonly at_ms: number | null }>`SELECT min(ended_at_ms) AS at_ms
    FROM turn_list ${index} WHERE ended_at_ms IS NOT NULL AND ended_at_ms >= ${from_ms} AND ended_at_ms < ${to_ms}`
  const spend: Array<Spend> = []
  if (first === undefined || first.at_ms === null) return spend
  // SQLite blocks the process while it adds up, so other requests run between two days
  for (let start_ms = Math.floor(first.at_ms / day_ms) * day_ms; start_ms < to_ms; start_ms += day_ms) {
    const rows = yield* sql<Record<"owner" | "model" | "nano", string> & Record<"turns" | "input" | "output", number>>`
      SELECT owner, model, count(*) AS turns, CAST(sum(nano) AS TEXT) AS nano,
        CAST(sum(tokens_in) AS BIGINT) AS input, CAST(sum(tokens_out) AS BIGINT) AS output
      FROM turn_list ${index} WHERE ended_at_ms >= ${Math.max(from_ms, start_ms)}
        AND ended_at_ms < ${Math.min(to_ms, start_ms + day_ms)} AND ${own} GROUP BY owner, model`
    for (const { input, model, nano, output, owner: by, turns } of rows) {
      spend.push({
        day_ms: start_ms,
        owner: by,
        model,
        turns,
        cost: usdOf(nano),
        inputTokens: input,
        outputTokens: output
      })
    }
    yield* Effect.yieldNow
  }
  const order = (left: string | null, right: string | null) =>
    (left ?? "") < (right ?? "") ? -1 : left === right ? 0 : 1
  return spend.toSorted(
    (left, right) => left.day_ms - right.day_ms || order(left.owner, right.owner) || order(left.model, right.model)
  )
})
