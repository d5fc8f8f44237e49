import { open } from "@webagent/test-chromium"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { cost, newPage, type PageCost, wheel } from "../measure/PageCost.ts"
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
import { size, writeYear } from "./Year.ts"

/** The screens of a year, as a running command serves them or as one file. */
interface Opened {
  /** From the navigation until the cells of the heat map are drawn, in ms. */
  readonly opened_ms: { readonly p50: number; readonly most: number }
  readonly scrolled: PageCost
}

/** The result of the bench `ui`. */
export interface UiReport extends Heading {
  readonly rounds: number
  readonly served: Opened
  readonly file: Opened
  readonly file_MB: number
  /** The most memory that the serving process had, in MB. */
  readonly process_MB: number
}

const harness = fileURLToPath(new URL("../../../../apps/harness/src/main.ts", import.meta.url))

const argsOf = (...args: ReadonlyArray<string>) => [
  "--conditions=@webagent/source",
  harness,
  "ui",
  "--built-in",
  ...args
]

/** Starts `ui` in a folder. */
const startUi = (folder: string): Promise<{ readonly url: string; readonly pid: number; readonly stop: () => void }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argsOf("--port", "0"), { cwd: folder, stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.once("close", (code) => reject(new Error(`ui ended with ${code}: ${text}`)))
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      const url = /http:\/\/\S+token=\S+/u.exec(text)?.[0]
      if (url !== undefined) resolve({ url, pid: child.pid ?? 0, stop: () => void child.kill("SIGINT") })
    })
  })

const mostMemory_MB = (pid: number) =>
  Number(/VmHWM:\s+(?<kb>\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.groups?.["kb"]) / 1000

/** Opens the screens several times, each in a new context, and scrolls through the heat map of the last one. */
const measure = async (
  browser: Browser,
  url: string,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
  server = process.pid
): Promise<Opened> => {
  const took: Array<number> = []
  for (let round = 0; ; round++) {
    const page = await newPage(browser)
    await page.goto(url, { waitUntil: "commit" })
    const opened_ms = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const look = () => {
            const canvas = document.querySelector<HTMLCanvasElement>("[role=grid] canvas")
            const isDrawn =
              canvas !== null &&
              canvas.width > 0 &&
              document.querySelector("[role=grid] [role=rowheader]") !== null &&
              (canvas.getContext("2d")?.getImageData(10, 30, 1, 1).data[3] ?? 0) > 0
            if (isDrawn) requestAnimationFrame(() => resolve(performance.now()))
            else requestAnimationFrame(look)
          }
          look()
        })
    )
    took.push(opened_ms)
    if (round + 1 < rounds) {
      await page.context().close()
      continue
    }
    const box = await page.getByRole("grid").boundingBox()
    await page.mouse.move((box?.x ?? 0) + 500, (box?.y ?? 0) + 200)
    const scrolled = await cost(page, server, seconds, () => wheel(page, seconds, true))
    await page.context().close()
    const all = sorted(took)
    return { opened_ms: { p50: quantile(all, 0.5), most: Math.max(...all) }, scrolled }
  }
}

/** Measures the screens of the harness with a year of 500 scenarios: opening, scrolling, memory. */
export const ui = (options: Options): Promise<UiReport> =>
  inFolder(async (folder) => {
    const { log, quick } = options
    const rounds = options.rounds ?? (quick ? 2 : 7)
    const seconds = quick ? 4 : 20
    log(`a history of ${size.nights} nights of ${size.scenarios} scenarios`)
    writeYear(folder)
    const browser = await open()
    try {
      const page = join(folder, "nights.html")
      execFileSync(process.execPath, argsOf("--export", page), { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
      log("the exported file")
      const file = await measure(browser, pathToFileURL(page).href, { rounds, seconds })
      log("the served screens")
      const running = await startUi(folder)
      try {
        // the first page waits until the process has read the history
        await measure(browser, running.url, { rounds: 1, seconds: 1 }, running.pid)
        const served = await measure(browser, running.url, { rounds, seconds }, running.pid)
        return { rounds, served, file, file_MB: statSync(page).size / 1e6, process_MB: mostMemory_MB(running.pid) }
      } finally {
        running.stop()
      }
    } finally {
      await browser.close()
    }
  })

/** The figures of a report. */
export const markdown = (report: UiReport): string => {
  const { file, file_MB, process_MB, rounds, served } = report
  const row = (name: string, { opened_ms, scrolled }: Opened) => [
    name,
    `${plain(opened_ms.p50)} (${plain(opened_ms.most)})`,
    `${scrolled.long}${scrolled.long === 0 ? "" : ` (${plain(scrolled.longest_ms)} ms)`}`,
    `${plain(scrolled.main * 100)} %`,
    scrolled.heap_MB.map(plain).join(" to ")
  ]
  return paragraphs(
    headingLine(
      report,
      `${size.nights} nights of ${grouped(size.scenarios)} scenarios; ${rounds} new pages each; Chromium without a screen, software rendering, 1280x800`
    ),
    table(
      [
        "the heat map",
        "opened, ms, p50 (most)",
        `tasks over 50 ms in ${Math.round(served.scrolled.seconds)} s of scrolling (longest)`,
        "main thread while scrolling, CPU",
        "heap, MB"
      ],
      [row("served by `ui`", served), row(`one file of ${plain(file_MB)} MB`, file)]
    ),
    `The process of \`ui\` had at most ${plain(process_MB)} MB.`
  )
}
