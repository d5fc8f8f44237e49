import { Store } from "@webagent/engine"
import { Database, SqlStore } from "@webagent/sql"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { statSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** Commits one after the other, and how late the event loop was meanwhile. */
export interface Commits {
  readonly perSecond: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly slowest_ms: number
  readonly loopP99_ms: number
  readonly loopSlowest_ms: number
  /** The largest size of SQLite's write-ahead log. */
  readonly log_MB: number
}

/**
 * The way in which the write-ahead log gets into the file: by a thread that holds writers back above the default limit, by
 * a thread that never does, or in the commit, which is SQLite's default.
 */
export const variants = ["limited", "unlimited", "commit"] as const
export type Variant = (typeof variants)[number]

/** Number of commits before the event loop has a turn, like creates that arrive together. */
const together = 8

const options: Readonly<Record<Variant, { readonly checkpointEvery_ms?: number; readonly logLimit?: number }>> = {
  limited: {},
  unlimited: { logLimit: Number.MAX_SAFE_INTEGER },
  commit: { checkpointEvery_ms: 86_400_000 }
}

/** Creates for a while. */
const commits = (file: string, variant: Variant, duration_ms: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const sql = yield* SqlClient.SqlClient
    if (variant === "commit") yield* sql.unsafe("PRAGMA wal_autocheckpoint = 1000")
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const took_ms: Array<number> = []
    let log_bytes = 0
    const begin = performance.now()
    delay.enable()
    for (let count = 0; performance.now() - begin < duration_ms; count++) {
      const began = performance.now()
      yield* store.commit(creation(`${variant}-${count}`, { owner: "bench" }))
      took_ms.push(performance.now() - began)
      if (count % together === 0) {
        log_bytes = Math.max(log_bytes, statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)
        yield* Effect.sleep("1 millis")
      }
    }
    delay.disable()
    const order = sorted(took_ms)
    return {
      perSecond: (1000 * order.length) / (performance.now() - begin),
      p50_ms: quantile(order, 0.5),
      p99_ms: quantile(order, 0.99),
      slowest_ms: order.at(-1) ?? Number.NaN,
      loopP99_ms: delay.percentile(99) / 1e6,
      loopSlowest_ms: delay.max / 1e6,
      log_MB: log_bytes / 1e6
    } satisfies Commits
  }).pipe(
    Effect.provide(Layer.provideMerge(SqlStore.layer, Database.layer({ file, ...options[variant] }))),
    Effect.scoped,
    Effect.runPromise
  )

/** Measures all variants, in turns. */
export const measureCommits = async (folder: string, rounds: number, duration_ms: number) => {
  const measured: Record<Variant, Array<Commits>> = { limited: [], unlimited: [], commit: [] }
  for (let round = 0; round < rounds; round++) {
    for (const variant of variants) {
      measured[variant].push(await commits(join(folder, `${variant}-${round}.db`), variant, duration_ms))
    }
  }
  return measured
}
