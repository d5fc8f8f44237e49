import { Database } from "@webagent/sql"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { open } from "@webagent/test-chromium"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { fill } from "../lists/Filling.ts"
import { cost, newPage, type PageCost, wheel } from "../measure/PageCost.ts"
import { cpuOfAll_s } from "../measure/Processes.ts"
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
import { fromSource, readHealth, startOurs, startServer } from "../measure/ServerProcess.ts"

/** The result of the bench `console`. */
export interface ConsoleReport extends Heading {
  readonly events: PageCost & { readonly events_s: number }
  readonly wall: PageCost & { readonly pictures_s: number; readonly picture_kB: number }
  readonly runs: number
  readonly list: PageCost & { readonly rows: number }
  readonly firstPage: FirstPage
}

/** The first page of the list of runs. */
interface FirstPage {
  /** Its time as a client of the server sees it, in ms. */
  readonly p50: number
  readonly p95: number
  /** CPU time of the server, in ms. It depends on the load of the machine much less than the others. */
  readonly cpu: number
}

/** A server with made-up records, of the tests of the console's screens. */
const madeUp = fileURLToPath(new URL("../../../../apps/console/test/server/main.ts", import.meta.url))

const adminKey = "wak_bench_admin"

const readConsole = { method: "GET", path: "/console", headers: {} }

const serveMadeUp = (flags: ReadonlyArray<string>) =>
  startServer(
    (port) => ({
      file: process.execPath,
      args: ["--conditions=@webagent/source", madeUp, "--port", String(port), ...flags]
    }),
    readConsole
  )

/** Draws JPEGs of the size that the wall gets from real browsers. */
const drawPictures = async (browser: Browser, folder: string): Promise<number> => {
  mkdirSync(folder)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  let bytes = 0
  for (let n = 0; n < 8; n++) {
    const rows = Array.from({ length: 24 }, (_, row) => `<p>Result ${row}: the flight number ${n * 97 + row * 13}</p>`)
    await page.setContent(
      `<body style="font:20px sans-serif;columns:3;background:hsl(${n * 45} 60% 92%)">${rows.join("")}`
    )
    const jpeg = await page.screenshot({ type: "jpeg", quality: 60 })
    bytes += jpeg.length
    writeFileSync(join(folder, `${n}.jpg`), jpeg)
  }
  await page.close()
  return bytes / 8
}

/** Reads the first page of the list as the console does, and discards the first samples, which compile the server's code. */
const measureFirstPage = async ({ pid, url }: { readonly pid: number; readonly url: string }): Promise<FirstPage> => {
  const [unmeasured, samples] = [30, 200]
  const took: Array<number> = []
  let cpu_s = 0
  for (let n = 0; n < unmeasured + samples; n++) {
    if (n === unmeasured) cpu_s = cpuOfAll_s(pid)
    const began = performance.now()
    const response = await fetch(`${url}/admin/v1/runs?limit=100&counts=false`, {
      headers: { "x-service-api-key": adminKey }
    })
    await response.text()
    if (!response.ok) throw new Error(`GET /admin/v1/runs: ${response.status}`)
    if (n >= unmeasured) took.push(performance.now() - began)
  }
  const all = sorted(took)
  return { p50: quantile(all, 0.5), p95: quantile(all, 0.95), cpu: (1000 * (cpuOfAll_s(pid) - cpu_s)) / samples }
}

/** Measures the list over a file with many runs, at the real server. */
const measureList = async (browser: Browser, folder: string, { log, quick }: Options) => {
  const runs = quick ? 20_000 : 1_000_000
  const file = join(folder, "runs.db")
  log(`a file with ${runs} runs`)
  await Effect.runPromise(Effect.provide(fill(runs, log), Layer.fresh(Database.layer({ file }))))
  const flags = ["--data", file, "--browsers", "simulated", "--admin-key", adminKey, "--keep-days", "36500"]
  const server = await startOurs([...fromSource, "serve"], [...flags, "--keep-runs", "2000000"], { probe: readHealth })
  try {
    const firstPage = await measureFirstPage(server)
    const page = await newPage(browser)
    await page.goto(`${server.url}/console/runs`)
    await page.getByLabel("API key").fill(adminKey)
    await page.keyboard.press("Enter")
    await page.locator("[role=row][aria-selected]").first().waitFor()
    await sleep(1000)
    const seconds = quick ? 5 : 20
    const list = await cost(page, server.pid, seconds, () => wheel(page, seconds))
    const rows = Number(await page.locator("[role=row][aria-selected]").last().getAttribute("aria-rowindex")) - 1
    await page.context().close()
    return { runs, list: { ...list, rows }, firstPage }
  } finally {
    await server.stop()
  }
}

/** Measures what an open console costs its browser: events, the live wall, and a long list. */
export const consolePages = (options: Options): Promise<ConsoleReport> =>
  inFolder(async (folder) => {
    const { log, quick } = options
    const seconds = quick ? 10 : 60
    execFileSync(process.execPath, [fileURLToPath(new URL("../../../workspace/console.mjs", import.meta.url)), "build"])
    const browser = await open()
    try {
      log("200 events per second")
      const flags = ["--runs", "10000", "--browsers", "20"]
      const busy = await serveMadeUp([...flags, "--events", "200"])
      let page = await newPage(browser)
      let received = 0
      page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => (received += String(payload).match(/"event":"run"/gu)?.length ?? 0))
      )
      await page.goto(`${busy.url}/console/runs`)
      await page.locator("[role=row][aria-selected]").first().waitFor()
      await sleep(5000)
      const receivedBefore = received
      const measured = await cost(page, busy.pid, seconds)
      const events = { ...measured, events_s: (received - receivedBefore) / measured.seconds }
      await page.context().close()
      await busy.stop()

      log("a wall of 20 browsers")
      const pictures = join(folder, "pictures")
      const picture_kB = (await drawPictures(browser, pictures)) / 1000
      const wall = await serveMadeUp([...flags, "--pictures", pictures])
      page = await newPage(browser)
      // all 20 tiles are in view
      await page.setViewportSize({ width: 1920, height: 1600 })
      let frames = 0
      page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => (frames += typeof payload === "string" ? 0 : 1))
      )
      await page.goto(`${wall.url}/console/wall`)
      await page.locator("[data-picture=true]").nth(19).waitFor()
      await sleep(2000)
      const before = frames
      const walled = await cost(page, wall.pid, seconds)
      const pictures_s = (frames - before) / walled.seconds
      await page.context().close()
      await wall.stop()
      return { events, wall: { ...walled, pictures_s, picture_kB }, ...(await measureList(browser, folder, options)) }
    } finally {
      await browser.close()
    }
  })

const share = (part: number) => `${plain(part * 100)} %`

/** The figures of a report. */
export const markdown = (report: ConsoleReport): string => {
  const { events, firstPage, list, runs, wall } = report
  const row = (name: string, { browser, heap_MB, long, longest_ms, main }: PageCost) => [
    name,
    share(main),
    share(browser),
    `${long}${long === 0 ? "" : ` (${plain(longest_ms)} ms)`}`,
    heap_MB.map(plain).join(" to ")
  ]
  return paragraphs(
    headingLine(report, "Chromium without a screen, software rendering, 1280x800 (the wall 1920x1600)"),
    table(
      ["what", "main thread, CPU", "whole browser, CPU", "tasks over 50 ms (longest)", "heap, MB"],
      [
        row(`the list of runs at ${plain(events.events_s)} events per second, ${Math.round(events.seconds)} s`, events),
        row(
          `a wall of 20 browsers, ${plain(wall.pictures_s)} pictures per second of ${plain(wall.picture_kB)} kB`,
          wall
        ),
        row(`the list of ${grouped(runs)} runs at 3,000 px per second, ${grouped(list.rows)} rows`, list)
      ]
    ),
    `The first page of 100 of ${grouped(runs)} runs over HTTP: ${plain(firstPage.p50)} ms (p50), ${plain(firstPage.p95)} ms (p95), with ${plain(firstPage.cpu)} ms of the server's CPU time.`
  )
}
