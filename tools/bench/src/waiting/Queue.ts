/** A server with 10,000 runs that wait for a browser, next to one with none. */
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { chmodSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pools } from "../browsers/Devtools.ts"
import { until } from "../browsers/Served.ts"
import { ask, createAt, headers } from "../measure/Ask.ts"
import { installServer } from "../measure/Bundle.ts"
import {
  grouped,
  type Heading,
  headingLine,
  inFolder,
  type Options,
  paragraphs,
  plain,
  table
} from "../measure/Report.ts"
import { readHealth, type ServerProcess, startOurs } from "../measure/ServerProcess.ts"
import { timed } from "../measure/Times.ts"

/** Status reads of one server during one phase. */
export interface Reads {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly most: number
  /** CPU time of the server per second, without that of its browsers. */
  readonly cpu: number
}

/** The same phase at the server with a queue and at the one without. */
export interface Phase {
  readonly name: string
  readonly queue: Reads
  readonly empty: Reads
}

/** The result of the bench `queue`. */
export interface QueueReport extends Heading {
  readonly waiting: number
  readonly phases: ReadonlyArray<Phase>
  /** Milliseconds of the server's CPU for a run that is created and waits. */
  readonly create_ms: number
  /** MB that the process holds, without waiting runs and with all of them. */
  readonly rss: Readonly<Record<"empty" | "queue", number>>
}

/** A key with other runs, so that the runs of the first one wait for another reason. */
const otherKey = "wak_bench_admin"

/** Reads per second, as from a few hundred clients that poll. */
const perSecond = 50

const atOnce = 16

/** Creates many things, a few at a time. */
const many = async (count: number, create: () => Promise<string>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  let left = count
  const next = async (): Promise<void> => {
    while (left-- > 0) ids.push(await create())
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return ids
}

/** Reads statuses at a steady rate and notes the time from when each was due, so that a stalled server counts. */
const read = async (server: ServerProcess, ids: ReadonlyArray<string>, seconds: number): Promise<Reads> => {
  const took: Array<number> = []
  const cpu_s = server.cpu_s()
  const begun = performance.now()
  const reads: Array<Promise<unknown>> = []
  for (let index = 0; index < seconds * perSecond; index++) {
    const due = begun + (index * 1000) / perSecond
    await sleep(Math.max(0, due - performance.now()))
    const id = ids[(index * 7919) % ids.length] ?? ""
    // a bench that was late itself isn't the server's delay
    reads.push(timed(() => ask(`${server.url}/api/v4/runs/${id}/status`)).then((ms) => took.push(ms)))
  }
  await Promise.all(reads)
  const cpu = (server.cpu_s() - cpu_s) / ((performance.now() - begun) / 1000)
  const ordered = sorted(took)
  const at = (share: number) => quantile(ordered, share)
  return { count: took.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: ordered.at(-1) ?? Number.NaN, cpu }
}

/** Uses a server's only browser until it's released: one without messages would be stopped after ten minutes. */
const holdBrowser = async ({ url }: ServerProcess): Promise<() => void> => {
  const { cdpUrl } = await ask<{ readonly cdpUrl: string }>(`${url}/api/v4/browsers`, "POST", "{}")
  const socket = new WebSocket(cdpUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", () => reject(new Error(`${cdpUrl} refuses a connection.`)))
  })
  const using = setInterval(() => socket.send(JSON.stringify({ id: 1, method: "Browser.getVersion" })), 30_000)
  return () => {
    clearInterval(using)
    socket.close()
  }
}

/** Number of runs that wait at a server for a browser. */
const waitingAt = async ({ url }: ServerProcess): Promise<number> => {
  const response = await fetch(`${url}/metrics`, { headers: { ...headers, "x-service-api-key": otherKey } })
  const text = await response.text()
  return Number(/^webagent_node_waiting_launches(?:\{[^}]*\})? (\d+)/mu.exec(text)?.[1] ?? 0)
}

/** Measures both servers in turns, a few seconds each, and joins the windows. */
const measure = async (
  name: string,
  [queue, queued]: readonly [ServerProcess, ReadonlyArray<string>],
  [empty, finished]: readonly [ServerProcess, ReadonlyArray<string>],
  seconds: number,
  log: Options["log"]
): Promise<Phase> => {
  const phase = { name, queue: await read(queue, queued, seconds), empty: await read(empty, finished, seconds) }
  log(`${name}: p95 ${plain(phase.queue.p95)} ms, ${plain(phase.empty.p95)} ms without a queue`)
  return phase
}

/** Fills the queue of a server whose only browser is in use, and reads the status of its runs. */
export const queue = ({ log, quick }: Options): Promise<QueueReport> =>
  inFolder(async (folder) => {
    // browsers of a server that is root run as another user
    chmodSync(folder, 0o711)
    process.env["TMPDIR"] = folder
    process.env["WEBAGENT_MODEL_KEY"] = "unused"
    const count = quick ? 1000 : 10_000
    const seconds = quick ? 5 : 30
    const program = await installServer(join(folder, "server"))
    const start = (name: string) =>
      startOurs(
        [program, "serve"],
        [
          ["--data", join(folder, `${name}.db`), "--browsers", "chromium", "--min-isolation", "none"],
          // no run gets as far as the model
          ["--max-browsers", "1", "--model", "openai:unused", "--model-url", "http://127.0.0.1:9/v1"],
          ["--run-queue-timeout", "2h", "--admin-key", otherKey]
        ].flat(),
        { probe: readHealth }
      )
    const [full, empty] = [await start("queue"), await start("empty")] as const
    const held: Array<() => void> = []
    try {
      held.push(...(await Promise.all([full, empty].map(holdBrowser))))
      const one = [await createAt(empty.url)]
      const rss = { empty: full.rss_MB(), queue: 0 }
      const cpu_s = full.cpu_s()
      const ids = await many(count, () => createAt(full.url))
      await until(async () => (await waitingAt(full)) >= count)
      const create_ms = ((full.cpu_s() - cpu_s) * 1000) / count
      rss.queue = full.rss_MB()
      log(`${count} runs wait: ${plain(create_ms)} ms of CPU each, ${Math.round(rss.queue)} MB`)
      // the first places of all runs are stored
      await sleep(5000)
      const measured = (name: string) => measure(name, [full, ids], [empty, one], seconds, log)
      const still = await measured("nothing changes")
      // a run of another key: those of the first key now wait because it has its share of the browsers
      const asOther = { ...headers, "x-service-api-key": otherKey }
      const body = JSON.stringify({ task: "Find a red mug" })
      for (const { url } of [full, empty]) await fetch(`${url}/api/v4/runs`, { method: "POST", headers: asOther, body })
      const flipped = await measured("the reason of all runs has changed")
      const creating = many(atOnce * seconds, async () => {
        await sleep(1000)
        return createAt(full.url)
      })
      const busy = await measured(`${atOnce} more runs per second`)
      await creating
      log(`${grouped(statSync(join(folder, "queue.db")).size / 1e6)} MB`)
      return { waiting: count, phases: [still, flipped, busy], create_ms, rss }
    } finally {
      for (const release of held) release()
      await Promise.all([full.stop(), empty.stop()])
      await until(() => pools(folder).length === 0)
    }
  })

const readsText = ({ most, p50, p95, p99 }: Reads) => `${plain(p50)} / ${plain(p95)} / ${plain(p99)} / ${plain(most)}`

/** The tables of a report. */
export const markdown = (report: QueueReport): string => {
  const { create_ms, phases, rss, waiting } = report
  return paragraphs(
    headingLine(
      report,
      `one server, bundled, over a file, with ${grouped(waiting)} runs that wait for its one browser`
    ),
    table(
      [
        "status reads, p50 / p95 / p99 / most in ms",
        `with ${grouped(waiting)} waiting runs`,
        "without",
        "CPU per second in ms",
        "without"
      ],
      phases.map(({ empty, name, queue }) => [
        name,
        readsText(queue),
        readsText(empty),
        plain(queue.cpu * 1000),
        plain(empty.cpu * 1000)
      ])
    ),
    table(
      ["what", "value"],
      [
        ["CPU of a create, until the run waits", `${plain(create_ms)} ms`],
        ["memory without waiting runs", `${grouped(rss.empty)} MB`],
        ["memory with them", `${grouped(rss.queue)} MB`]
      ]
    )
  )
}
