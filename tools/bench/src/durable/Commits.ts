import { Store } from "@webagent/engine"
import { Database, SqlStore } from "@webagent/sql"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
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
}

/** Number of consecutive commits before the event loop gets a turn, like creates that arrive at once. */
const together = 8

/** Creates for a while, with checkpoints in a thread as a server has them, or in the commit as SQLite has them. */
const commits = (file: string, inThread: boolean, duration_ms: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const sql = yield* SqlClient.SqlClient
    if (!inThread) yield* sql.unsafe("PRAGMA wal_autocheckpoint = 1000")
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const took_ms: Array<number> = []
    const begin = performance.now()
    delay.enable()
    for (let count = 0; performance.now() - begin < duration_ms; count++) {
      const began = performance.now()
      yield* store.commit(creation(`${inThread}-${count}`, { owner: "bench" }))
      took_ms.push(performance.now() - began)
      if (count % together === 0) yield* Effect.sleep("1 millis")
    }
    delay.disable()
    const order = sorted(took_ms)
    return {
      perSecond: (1000 * order.length) / (performance.now() - begin),
      p50_ms: quantile(order, 0.5),
      p99_ms: quantile(order, 0.99),
      slowest_ms: order.at(-1) ?? Number.NaN,
      loopP99_ms: delay.percentile(99) / 1e6,
      loopSlowest_ms: delay.max / 1e6
    } satisfies Commits
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        SqlStore.layer,
        Database.layer({ file, ...(inThread ? {} : { checkpointEvery_ms: 86_400_000 }) })
      )
    ),
    Effect.scoped,
    Effect.runPromise
  )

/** Both, in turns. */
export const measureCommits = async (folder: string, rounds: number, duration_ms: number) => {
  const measured: Record<"thread" | "commit", Array<Commits>> = { thread: [], commit: [] }
  for (let round = 0; round < rounds; round++) {
    measured.thread.push(await commits(join(folder, `thread-${round}.db`), true, duration_ms))
    measured.commit.push(await commits(join(folder, `commit-${round}.db`), false, duration_ms))
  }
  return measured
}
