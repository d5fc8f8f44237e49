import { execFile } from "node:child_process"
import { statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { headers, statusAt } from "../measure/Ask.ts"
import { startOurs } from "../measure/ServerProcess.ts"

/** Times of many repetitions. */
export interface Times {
  readonly p50_ms: number
  readonly p99_ms: number
}

/** A file with many ended runs, and how a server does over it. */
export interface FullFile {
  readonly runs: number
  readonly file_MB: number
  readonly start_ms: number
  readonly rss_MB: number
  readonly reads: Readonly<Record<"status" | "run" | "session" | "health" | "metrics", Times>>
  readonly create: Times
  /** Half of the runs, deleted by the command while the server goes on. */
  readonly prune: { readonly runs: number; readonly took_s: number; readonly status: Times }
}

const timesOf = (took_ms: ReadonlyArray<number>): Times => {
  const order = sorted(took_ms)
  return { p50_ms: quantile(order, 0.5), p99_ms: quantile(order, 0.99) }
}

const timed = async (url: string, init: RequestInit = {}): Promise<number> => {
  const began = performance.now()
  const answer = await fetch(url, { headers, ...init })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
  return performance.now() - began
}

/** One after the other. */
const each = async (count: number, one: (index: number) => Promise<number>) => {
  const took: Array<number> = []
  for (let index = 0; index < count; index++) took.push(await one(index))
  return timesOf(took)
}

const server = (bundle: string, file: string) => {
  const kept = ["--keep-days", "100000", "--keep-runs", "100000000", "--turn-duration", "20ms"]
  return startOurs([bundle, "serve"], ["--data", file, "--browsers", "simulated", ...kept])
}

export const sizeOf = (file: string) =>
  (statSync(file).size + (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0)) / 2 ** 20

/** Runs that a server carries out over a new file, each with a key, and what the file has of each then. */
export const growth = async (bundle: string, file: string, runs: number) => {
  const { stop, url } = await server(bundle, file)
  try {
    let left = runs
    let last = ""
    const client = async () => {
      while (left-- > 0) {
        const body = JSON.stringify({ task: "Find a red mug [simulate output=found keepAlive=false]" })
        const keyed = { ...headers, "idempotency-key": `key-${left}` }
        const answer = await fetch(`${url}/api/v4/runs`, { method: "POST", headers: keyed, body })
        last = ((await answer.json()) as { readonly id: string }).id
      }
    }
    await Promise.all(Array.from({ length: 8 }, client))
    while ((await statusAt(url, last)) !== "completed") await sleep(20)
  } finally {
    await stop()
  }
  // a server that opens the file has no log left
  const db = new DatabaseSync(file)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const size = sizeOf(file)
  const of = (table: string) =>
    Number(db.prepare("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE ?").get(`${table}%`)?.["bytes"] ?? 0)
  const tables = ["turns", "sessions", "events", "idempotency_keys"] as const
  const kB = Object.fromEntries(tables.map((table) => [table, of(table) / runs / 1024]))
  db.close()
  return { runs, kB_aRun: (size * 1024) / runs, kB }
}

/** Copies the newest ended run of a file until there are `runs` of them. They ended over the last 20 days. */
const fill = (file: string, runs: number) => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")
  const like = db
    .prepare("SELECT id, session_id FROM turns WHERE ended_at_ms IS NOT NULL ORDER BY n DESC LIMIT 1")
    .get()
  if (like === undefined) throw new Error("The file has no ended run to copy")
  const { id, session_id: session } = like
  const number = "printf('%08x-7aaa-7000-8000-%012x', i, i)"
  const other = "printf('%08x-7bbb-7000-8000-%012x', i, i)"
  const at = `(unixepoch() - 20 * 86400) * 1000 + i * ${Math.floor((19 * 86_400_000) / runs)}`
  const numbers = `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${runs})`
  db.exec(`BEGIN;
    ${numbers} INSERT INTO sessions (id, revision, stopped_at_ms, record)
      SELECT ${other}, revision, ${at}, replace(record, '${session}', ${other}) FROM numbers, sessions
      WHERE sessions.id = '${session}';
    ${numbers} INSERT INTO turns (id, session_id, seq, owner, status, ended_at_ms, usd, record)
      SELECT ${number}, ${other}, seq, owner, status, ${at}, usd,
        replace(replace(record, '${id}', ${number}), '${session}', ${other}) FROM numbers, turns
      WHERE turns.id = '${id}';
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  db.close()
}

/** A run of the file, and its session: the first ended first. */
const runAt = (i: number) => {
  const hex = (digits: number) => i.toString(16).padStart(digits, "0")
  return {
    run: `${hex(8)}-7aaa-7000-8000-${hex(12)}`,
    session: `${hex(8)}-7bbb-7000-8000-${hex(12)}`
  }
}

/** The place of a run that is anywhere in the file. */
const anywhere = (index: number, runs: number) => runAt(1 + ((index * 7919) % runs))

const run = promisify(execFile)

/** Fills a file, and has a server read from it and delete half of it. */
export const fullFile = async (
  bundle: string,
  file: string,
  runs: number,
  log: (line: string) => void
): Promise<FullFile> => {
  await growth(bundle, file, 10)
  log(`a file with ${runs} runs`)
  fill(file, runs)
  const file_MB = sizeOf(file)
  const { rss_MB, started_ms, stop, url } = await server(bundle, file)
  try {
    const v4 = `${url}/api/v4`
    const reads = Math.min(2000, runs)
    const statuses = (count: number) => each(count, (index) => timed(`${v4}/runs/${anywhere(index, runs).run}/status`))
    await statuses(200)
    log("reads")
    const measured = {
      status: await statuses(reads),
      run: await each(reads, (index) => timed(`${v4}/runs/${anywhere(index, runs).run}`)),
      session: await each(reads, (index) => timed(`${url}/api/v2/sessions/${anywhere(index, runs).session}`)),
      health: await each(100, () => timed(`${url}/health`)),
      metrics: await each(100, () => timed(`${url}/metrics`))
    }
    const body = JSON.stringify({ task: "Find a red mug [simulate output=found]" })
    const create = await each(500, () => timed(`${v4}/runs`, { method: "POST", body }))
    log("prune")
    const began = performance.now()
    const took_ms: Array<number> = []
    const ended = new AbortController()
    const reading = async () => {
      while (!ended.signal.aborted) {
        // the newest stays
        took_ms.push(await timed(`${v4}/runs/${runAt(runs).run}/status`))
        await sleep(5)
      }
    }
    const days = String(20 - 19 / 2)
    const pruning = run(process.execPath, [bundle, "prune", "--data", file, "--keep-days", days]).finally(() =>
      ended.abort()
    )
    const [{ stdout }] = await Promise.all([pruning, reading()])
    const pruned = Number(/(\d+) sessions/u.exec(stdout)?.[1])
    return {
      runs,
      file_MB,
      start_ms: started_ms,
      rss_MB: rss_MB(),
      reads: measured,
      create,
      prune: { runs: pruned, took_s: (performance.now() - began) / 1000, status: timesOf(took_ms) }
    }
  } finally {
    await stop()
  }
}
