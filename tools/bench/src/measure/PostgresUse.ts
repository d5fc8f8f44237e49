import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { cpuOfAll_s } from "./Processes.ts"

/** Statistics of Postgres about itself, over a separate connection of the bench. */
export interface PostgresUse {
  readonly transactions: Effect.Effect<number>
  readonly connections: Effect.Effect<number>
  /** CPU time of all its processes. */
  readonly cpu_s: () => number
}

/** Watches a Postgres on this machine. */
export const postgresUse = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [backend] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
  const postmaster = Number(/PPid:\s+(\d+)/u.exec(readFileSync(`/proc/${backend?.pid}/status`, "utf8"))?.[1])
  return {
    transactions: Effect.map(
      // counters of other connections are written a second late at most
      sql<{ readonly count: number }>`SELECT xact_commit + xact_rollback AS count
        FROM pg_stat_database WHERE datname = current_database()`,
      ([row]) => Number(row?.count)
    ).pipe(Effect.orDie),
    connections: Effect.map(
      sql<{ readonly count: number }>`SELECT count(*) AS count FROM pg_stat_activity
        WHERE application_name = 'webagent-server'`,
      ([row]) => Number(row?.count)
    ).pipe(Effect.orDie),
    cpu_s: () => cpuOfAll_s(postmaster)
  } satisfies PostgresUse
})
