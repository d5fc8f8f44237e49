import { Agent, request } from "node:http"
import { statSync } from "node:fs"
import { loadavg } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { headers } from "../measure/Ask.ts"
import { bundleServer } from "../measure/Bundle.ts"
import { inspected } from "../measure/Inspector.ts"
import { Mistake } from "../measure/Mistake.ts"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  none,
  type Options,
  paragraphs,
  table
} from "../measure/Report.ts"
import { freePort, startOurs } from "../measure/ServerProcess.ts"
import { type Point, type Trend, trendOf } from "./Trend.ts"

/** Figures of a server with a database file at a moment. */
interface Moment {
  readonly at_s: number
  readonly rss_MB: number
  readonly heap_MB: number
  /** The file and its log. */
  readonly file_MB: number
  readonly loadAverage: number
}

/** The result of the bench `soak-file`. */
interface FileSoakReport extends Heading {
  readonly duration_s: number
  readonly rate: number
  readonly keep_s: number
  readonly moments: ReadonlyArray<Moment>
  readonly counts: Readonly<Record<"started" | "completed" | "late" | "failed", number>>
  /** Reasons why starts failed, with their numbers. */
  readonly failures: Readonly<Record<string, number>>
  readonly status_ms: Readonly<Record<"p50" | "p99" | "max", number>>
}

const rate = 10
/** Time that a record is stored; the sweep runs every minute. */
const keep_s = 90

const spanOf = (text: string): number => {
  const [, count, unit = ""] = /^(\d+)(s|m|h)$/u.exec(text) ?? []
  if (count === undefined) throw new Mistake("--duration takes a time such as 30s, 20m or 1h.")
  return Number(count) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1)
}

/** Starts a run, a v3 session or a browser ten times a second, waits for its end as a client does, and counts. */
const loadOf = async (url: string, duration_s: number) => {
  const counts = { started: 0, completed: 0, late: 0, failed: 0 }
  const status_ms: Array<number> = []
  const failures: Record<string, number> = {}
  // fetch gives up on a connection after ten seconds, which a busy machine may well take
  const agent = new Agent({ keepAlive: true })
  const answer = (path: string, method: string, body: object | undefined) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const outgoing = request(`${url}/api/${path}`, { agent, method, headers }, (incoming) => {
        let text = ""
        incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        incoming.once("error", reject).once("end", () => resolve({ status: incoming.statusCode ?? 0, text }))
      })
      outgoing.once("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  const ask = async (path: string, method = "GET", body?: object) => {
    const { status, text } = await answer(path, method, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`)
    return JSON.parse(text) as Readonly<Record<string, string>>
  }
  // sessions end with their run: what is open is kept
  const task = "Find a red mug [simulate output=found duration=300ms keepAlive=false]"
  const one = async (index: number) => {
    if (index % 5 === 0) {
      const { id } = await ask("v4/browsers", "POST", {})
      await ask(`v4/browsers/${id}`, "PATCH", { action: "stop" })
      return
    }
    const { id } = await ask("v4/runs", "POST", { task })
    const began = performance.now()
    for (;;) {
      await sleep(200)
      const sent_ms = performance.now()
      const { status } = await ask(`v4/runs/${id}/status`)
      status_ms.push(performance.now() - sent_ms)
      if (status === "completed") break
      if (performance.now() - began > 30_000) {
        counts.late++
        return
      }
    }
    await ask(`v4/runs/${id}`)
  }
  const begin = performance.now()
  const open = new Set<Promise<void>>()
  for (let index = 0; performance.now() - begin < duration_s * 1000; index++) {
    await sleep(Math.max(0, begin + (index * 1000) / rate - performance.now()))
    counts.started++
    const began = performance.now()
    const pending = one(index).then(
      () => void counts.completed++,
      (error: Error) => {
        counts.failed++
        const message = error.message.replace(/[0-9a-f-]{36}/u, "ID")
        const late = (performance.now() - began) / 1000 > keep_s ? `, more than ${keep_s} s after its start` : ""
        const reason = `${message}${late}`
        failures[reason] = (failures[reason] ?? 0) + 1
      }
    )
    open.add(pending)
    void pending.then(() => open.delete(pending))
  }
  await Promise.all(open)
  agent.destroy()
  const order = sorted(status_ms)
  return {
    counts,
    failures,
    status_ms: { p50: quantile(order, 0.5), p99: quantile(order, 0.99), max: order.at(-1) ?? Number.NaN }
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Our server over a file that keeps records for a minute and a half, for as long as asked. */
export const measureFileSoak = async (
  folder: string,
  duration_s: number,
  every_s: number
): Promise<Omit<FileSoakReport, keyof Heading>> => {
  const bundle = await bundleServer(join(folder, "server"))
  const file = join(folder, "server.db")
  const flags = ["--data", file, "--browsers", "simulated", "--keep-days", String(keep_s / 86_400)]
  const { heapAfterCollection_MB, inspect } = inspected(await freePort())
  const server = await startOurs([bundle, "serve"], flags, { inspect })
  try {
    const begin = performance.now()
    const since_s = () => (performance.now() - begin) / 1000
    const moments: Array<Moment> = []
    const loadDone = new AbortController()
    const sample = async () => {
      for (let turn = 1; !loadDone.signal.aborted; turn++) {
        const [at_s, loadAverage] = [since_s(), loadavg()[0] ?? 0]
        const heap_MB = await heapAfterCollection_MB()
        // measured after the collection
        const rss_MB = server.rss_MB()
        moments.push({ at_s, loadAverage, heap_MB, rss_MB, file_MB: (sizeOf(file) + sizeOf(`${file}-wal`)) / 2 ** 20 })
        const rest_ms = Math.max(0, turn * every_s - since_s()) * 1000
        await sleep(rest_ms, undefined, { signal: loadDone.signal }).catch(() => {})
      }
    }
    const [load] = await Promise.all([loadOf(server.url, duration_s).finally(() => loadDone.abort()), sample()])
    return { duration_s, rate, keep_s, moments, ...load }
  } finally {
    await server.stop()
  }
}

/** Does a server over a file stay as small when it forgets what is old? Twenty minutes, or `--duration`. */
export const soakFile = ({ duration, quick }: Options): Promise<FileSoakReport> => {
  const duration_s = spanOf(duration ?? (quick ? "30s" : "20m"))
  return inFolder((folder) => measureFileSoak(folder, duration_s, 5))
}

/** Until the first records are old, and are deleted: what grows before is no trend. */
const filling_s = keep_s + 90

/** `+1.2 MB (-0.3 to +2.7)`, an hour. */
const trendText = (trend: Trend | undefined) => {
  if (trend === undefined) return none
  const signed = (figure: number) => `${figure < 0 ? "" : "+"}${figure.toFixed(1)}`
  return `${signed(trend.perHour)} MB (${signed(trend.low)} to ${signed(trend.high)})`
}

/** The tables of a report. */
export const markdown = (report: FileSoakReport): string => {
  const { counts, duration_s, keep_s: kept_s, moments, status_ms } = report
  // blocks of a minute, or shorter ones where a soak has few minutes
  const block_s = Math.min(60, Math.max(5, (duration_s - filling_s) / 12))
  const row = (name: string, value: (moment: Moment) => number) => {
    const points = moments.map((moment): Point => ({ at_s: moment.at_s, value: value(moment) }))
    const steady = points.filter(({ at_s }) => at_s >= filling_s)
    const later = steady.filter(({ at_s }) => at_s >= (filling_s + duration_s) / 2)
    const trend = trendOf(steady, block_s)
    return [
      name,
      trend === undefined ? none : `${trend.mean.toFixed(1)} MB`,
      trendText(trend),
      trendText(trendOf(later, block_s / 2))
    ]
  }
  return paragraphs(
    headingLine(
      report,
      `our server bundled, --data FILE, records kept for ${kept_s} s; ${report.rate} starts a second for ${Math.round(duration_s / 60)} minutes, a fifth of them browsers; slopes from ${filling_s} s on, over blocks of ${Math.round(block_s)} s`
    ),
    table(
      ["figure", "mean", "an hour (95 % interval)", "an hour, in the later half"],
      [
        row("memory of the process (RSS)", ({ rss_MB }) => rss_MB),
        row("heap after a collection", ({ heap_MB }) => heap_MB),
        row("file and log", ({ file_MB }) => file_MB)
      ]
    ),
    table(
      ["what", "count"],
      [
        ["started", grouped(counts.started)],
        ["completed", grouped(counts.completed)],
        ["not over after 30 s", grouped(counts.late)],
        ["failed", grouped(counts.failed)],
        ...Object.entries(report.failures).map(([reason, count]) => [`of those: ${reason}`, grouped(count)]),
        ["status read, p50", `${status_ms.p50.toFixed(1)} ms`],
        ["status read, p99", `${status_ms.p99.toFixed(1)} ms`],
        ["status read, the slowest", `${status_ms.max.toFixed(0)} ms`]
      ]
    )
  )
}
