import type { StoreUnavailable, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { read } from "./unavailable.ts"

/** Numbers of unfinished records. */
export interface OpenCounts {
  /** Runs that wait. */
  readonly queued: number
  /** Runs that an agent was given. */
  readonly running: number
  /** Browsers that are not stopped. */
  readonly browsers: number
  /** When the run was created that waits longest. */
  readonly oldest_ms: number | null
}

/** Counts what is not over, from indexes that have nothing else. */
export const get: Effect.Effect<OpenCounts, StoreUnavailable, SqlClient.SqlClient> = SqlClient.SqlClient.use((sql) =>
  read(
    Effect.map(
      // rows of one status are in the order of creation
      sql<Pick<OpenCounts, "queued" | "browsers"> & { readonly open: number; readonly oldest: string | null }>`SELECT
        (SELECT count(*) FROM turns WHERE ended_at_ms IS NULL) AS open,
        (SELECT count(*) FROM turns WHERE ended_at_ms IS NULL AND status = 'queued') AS queued,
        (SELECT count(*) FROM browsers WHERE stopped_at_ms IS NULL) AS browsers,
        (SELECT record FROM turns WHERE ended_at_ms IS NULL AND status = 'queued' ORDER BY n LIMIT 1) AS oldest`,
      ([{ open = 0, queued = 0, browsers = 0, oldest = null } = {}]) => ({
        queued,
        running: open - queued,
        browsers,
        oldest_ms: oldest === null ? null : (JSON.parse(oldest) as Turn.Turn).createdAt_ms
      })
    )
  )
)
