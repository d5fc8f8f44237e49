import type { Spend, SpendFilter } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { usdOf } from "./Money.ts"
import { parsedTurn } from "./Rows.ts"

const day_ms = 86_400_000

/** Returns the cost of the turns that finished on these days, including those that were deleted since. */
export const spendOf = (sql: SqlClient.SqlClient, { from_ms, owner, to_ms }: SpendFilter) => {
  const own = owner === undefined ? sql`1 = 1` : sql`owner = ${owner}`
  return Effect.map(
    sql<Record<"owner" | "model" | "nano", string> & Record<"day_ms" | "turns" | "input" | "output", number>>`
      SELECT day_ms, owner, model, CAST(sum(turns) AS BIGINT) AS turns, CAST(sum(nano) AS TEXT) AS nano,
        CAST(sum(tokens_in) AS BIGINT) AS input, CAST(sum(tokens_out) AS BIGINT) AS output
      FROM spend_days WHERE day_ms > ${from_ms - day_ms} AND day_ms < ${to_ms} AND ${own}
      GROUP BY day_ms, owner, model`,
    (rows) => {
      const order = (left: string, right: string) => (left < right ? -1 : left === right ? 0 : 1)
      return rows
        .toSorted(
          (left, right) =>
            left.day_ms - right.day_ms || order(left.owner, right.owner) || order(left.model, right.model)
        )
        .map(({ input, nano, output, owner: by, ...of }): Spend => ({
          ...of,
          owner: by === "" ? null : by,
          cost: usdOf(nano),
          inputTokens: input,
          outputTokens: output
        }))
    }
  )
}

/** Most of the store's costliest turns that one request looks at, so that its time doesn't depend on their number. */
const mostLookedAt = 20_000

/** Returns finished turns that cost something, the costliest first, by the index of costs. */
export const costliestOf = (sql: SqlClient.SqlClient, { from_ms, owner, to_ms }: SpendFilter, limit: number) => {
  const own = owner === undefined ? sql`1 = 1` : sql`l.owner = ${owner}`
  return Effect.map(
    sql<{ readonly record: unknown }>`
      SELECT t.record FROM (
        SELECT l.n, l.nano FROM (
          SELECT n, nano, owner, ended_at_ms FROM turn_list WHERE nano > 0 ORDER BY nano DESC LIMIT ${mostLookedAt}
        ) l WHERE l.ended_at_ms >= ${from_ms} AND l.ended_at_ms < ${to_ms} AND ${own}
        ORDER BY l.nano DESC, l.n DESC LIMIT ${limit}
      ) c JOIN turns t ON t.n = c.n ORDER BY c.nano DESC, c.n DESC`,
    (rows) => rows.map(({ record }) => parsedTurn(record))
  )
}
