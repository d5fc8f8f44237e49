/** A server's memory while a client walks over all runs of a full file and others follow events. */
import { Database } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ClientRequest, get } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ask, headers } from "../measure/Ask.ts"
import { installServer } from "../measure/Bundle.ts"
import { grouped, type Heading, headingLine, inFolder, type Options, paragraphs, table } from "../measure/Report.ts"
import { readHealth, startOurs } from "../measure/ServerProcess.ts"
import { type Times, timesOf, timesText } from "../measure/Times.ts"
import { fill } from "./Filling.ts"

/** Runs that the walk read, and the memory of the server. */
export interface Walk {
  readonly runs: number
  readonly pages: Times
  readonly streams: number
  /** Events that the streams received. */
  readonly events: number
  /** Memory of the process, in MB: before the walk, the most during it, and after it. */
  readonly rss: Readonly<Record<"before" | "most" | "after", number>>
}

/** The result of the bench `walk`. */
export interface WalkReport extends Heading {
  readonly walk: Walk
}

const streamsOpen = 100

/** Rows of a page. */
const limit = 50

const adminKey = "wak_bench_admin"

/** The filled runs are old. */
const keepAll = ["--keep-days", "36500", "--keep-runs", "2000000"]

/** Follows a run's events, again after the server ended the stream, as it does after ten minutes; returns its end. */
const follow = (url: string, id: string, onEvent: () => void): (() => void) => {
  let last = ""
  let isOver = false
  let stream: ClientRequest
  const open = () => {
    if (isOver) return
    const position = last === "" ? {} : { "last-event-id": last }
    stream = get(`${url}/api/v4/runs/${id}/events`, {
      agent: false,
      headers: { ...headers, ...position, accept: "text/event-stream" }
    })
    stream.on("error", () => undefined)
    stream.once("response", (response) => {
      response.setEncoding("utf8").on("data", (text: string) => {
        last = text.match(/(?<=^id: )\d+/gmu)?.at(-1) ?? last
        text.match(/^event: run/gmu)?.forEach(onEvent)
      })
    })
    stream.once("close", () => void sleep(100).then(open))
  }
  open()
  return () => {
    isOver = true
    stream.destroy()
  }
}

/** Walks over all runs of a file that the server opens, while streams of events are open. */
export const walkOver = async (file: string, program: string, log: Options["log"]): Promise<Walk> => {
  const flags = [
    "--data",
    file,
    "--browsers",
    "simulated",
    "--turn-duration",
    "1h",
    "--admin-key",
    adminKey,
    ...keepAll
  ]
  const server = await startOurs([program, "serve"], flags, { probe: readHealth })
  const ends: Array<() => void> = []
  try {
    const body = JSON.stringify({ task: "Find a red mug" })
    const created = Array.from({ length: 10 }, () =>
      ask<{ readonly id: string }>(`${server.url}/api/v4/runs`, "POST", body)
    )
    const open = await Promise.all(created)
    const seen = { events: 0 }
    for (let index = 0; index < streamsOpen; index++) {
      ends.push(follow(server.url, open[index % open.length]?.id ?? "", () => seen.events++))
    }
    // each run was queued when its streams began
    while (seen.events < streamsOpen) await sleep(50)
    const before = server.rss_MB()
    let most = before
    const sampling = setInterval(() => (most = Math.max(most, server.rss_MB())), 100)
    const ids = new Set<string>()
    const took: Array<number> = []
    let next: string | null = null
    let rows = 0
    do {
      const cursor: string = next === null ? "" : `&cursor=${encodeURIComponent(next)}`
      const began = performance.now()
      const response = await fetch(`${server.url}/admin/v1/runs?limit=${limit}${cursor}`, {
        headers: { ...headers, "x-service-api-key": adminKey }
      })
      if (!response.ok) throw new Error(`GET /admin/v1/runs: ${response.status} ${await response.text()}`)
      const page = (await response.json()) as { readonly rows: ReadonlyArray<{ readonly id: string }>; next: string }
      took.push(performance.now() - began)
      for (const { id } of page.rows) ids.add(id)
      rows += page.rows.length
      next = page.next
      if (took.length % 2000 === 0) log(`${rows} runs, ${Math.round(server.rss_MB())} MB`)
    } while (next !== null)
    clearInterval(sampling)
    if (ids.size !== rows) throw new Error(`The walk had ${rows - ids.size} runs twice.`)
    const rss = { before, most, after: server.rss_MB() }
    return { runs: rows, pages: timesOf(took), streams: streamsOpen, events: seen.events, rss }
  } finally {
    for (const end of ends) end()
    await server.stop()
  }
}

/** Fills a file with a million runs, and walks over them at the real program. */
export const walk = ({ log, quick }: Options): Promise<WalkReport> =>
  inFolder(async (folder) => {
    const runs = quick ? 20_000 : 1_000_000
    const program = await installServer(join(folder, "server"))
    const file = join(folder, "walk.db")
    log(`a file with ${runs} runs`)
    await Effect.runPromise(Effect.provide(fill(runs, log), Layer.fresh(Database.layer({ file }))))
    return { walk: await walkOver(file, program, log) }
  })

/** The table of a report. */
export const markdown = (report: WalkReport): string => {
  const { events, pages, rss, runs, streams } = report.walk
  return paragraphs(
    headingLine(report, "one server, bundled, over a file"),
    table(
      ["what", "value"],
      [
        ["runs in the walk, each once", grouped(runs)],
        ["a page of 50 over HTTP, p50 / p95 in ms", timesText(pages)],
        ["open streams, and events that they received", `${grouped(streams)}, ${grouped(events)}`],
        ["memory before the walk", `${grouped(rss.before)} MB`],
        ["most memory during the walk", `${grouped(rss.most)} MB`],
        ["memory after the walk", `${grouped(rss.after)} MB`]
      ]
    )
  )
}
