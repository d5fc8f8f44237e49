import { setTimeout as sleep } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { descendantsOf } from "./Processes.ts"

/** The cost of a page over a while. */
export interface PageCost {
  /** CPU time of the page's main thread, as a share of one core. */
  readonly main: number
  /** CPU time of the whole browser, as a share of one core. */
  readonly browser: number
  /** Tasks of the main thread of more than 50 ms, and the longest, in ms. They depend on the load of the machine. */
  readonly long: number
  readonly longest_ms: number
  /** Heap after a garbage collection, in MB, at the beginning and at the end. */
  readonly heap_MB: readonly [before: number, after: number]
  readonly seconds: number
}

/** CPU seconds of the browser: everything that this process started, without the server and its children. */
const browserCpu_s = (server: number): number => {
  const others = descendantsOf(server)
  return [...descendantsOf(process.pid)].reduce(
    (sum, [pid, { cpu_s, ended_s }]) => (pid === server || others.has(pid) ? sum : sum + cpu_s + ended_s),
    0
  )
}

const connect = async (page: Page) => {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send("Performance.enable", { timeDomain: "threadTicks" })
  const read = async (name: string) => {
    const { metrics } = await devTools.send("Performance.getMetrics")
    return metrics.find((metric) => metric.name === name)?.value ?? 0
  }
  return {
    main_s: () => read("TaskDuration"),
    heap_MB: async () => {
      await devTools.send("HeapProfiler.collectGarbage")
      return (await read("JSHeapUsedSize")) / 1e6
    }
  }
}

/** Measures a page while `work` runs. */
export const cost = async (
  page: Page,
  server: number,
  seconds: number,
  work?: () => Promise<void>
): Promise<PageCost> => {
  const devTools = await connect(page)
  const before_MB = await devTools.heap_MB()
  await page.evaluate(() => {
    const tasks: Array<number> = []
    Object.assign(globalThis, { longTasks: tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      entryTypes: ["longtask"]
    })
  })
  const [main_s, browser_s, began] = [await devTools.main_s(), browserCpu_s(server), performance.now()]
  await Promise.all([sleep(seconds * 1000), work?.()])
  const [main, browser] = [(await devTools.main_s()) - main_s, browserCpu_s(server) - browser_s]
  const took_s = (performance.now() - began) / 1000
  const tasks = await page.evaluate(() => (globalThis as object as { longTasks: ReadonlyArray<number> }).longTasks)
  return {
    main: main / took_s,
    browser: browser / took_s,
    long: tasks.length,
    longest_ms: Math.max(0, ...tasks),
    heap_MB: [before_MB, await devTools.heap_MB()],
    seconds: took_s
  }
}

/** Opens a page without anything of the others. */
export const newPage = async (browser: Browser): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  return context.newPage()
}

/** Scrolls the middle of a page at 3,000 px per second, and alternates between down and right if `isWide`. */
export const wheel = async (page: Page, seconds: number, isWide = false): Promise<void> => {
  await page.mouse.move(700, 500)
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const isAcross = isWide && Math.floor(performance.now() / 1000) % 2 === 1
    await page.mouse.wheel(isAcross ? 150 : 0, isAcross ? 0 : 150)
    await sleep(50)
  }
}
