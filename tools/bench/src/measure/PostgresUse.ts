import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"

const ticks_per_s = 100

/** CPU time of a process and of those of its children that ended; fields are counted from the end of its name. */
const cpuOf = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? []
    return [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0) / ticks_per_s
  } catch {
    return 0
  }
}

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** What Postgres says of itself, by a connection of the bench's own. */
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
    cpu_s: () => [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + cpuOf(pid), 0)
  } satisfies PostgresUse
})
