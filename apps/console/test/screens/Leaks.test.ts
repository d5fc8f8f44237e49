import type { CDPSession, Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { isWhole, runId, useConsole } from "./Console.ts"

const screens = ["Runs", "Live wall", "Events", "Keys", "Sessions", "Spend", "Nodes", "Settings", "Overview"]

/** Counts of what a page holds at one moment, after a garbage collection. */
const holdsNow = async (devTools: CDPSession) => {
  await devTools.send("HeapProfiler.collectGarbage")
  const { metrics } = await devTools.send("Performance.getMetrics")
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0
  return { nodes: of("Nodes"), listeners: of("JSEventListeners"), heap: of("JSHeapUsedSize") }
}

/** Counts of what a page holds when the requests of its last screen are over: the least of several moments. */
const holds = async (page: Page, devTools: CDPSession) => {
  const moments: Array<Awaited<ReturnType<typeof holdsNow>>> = []
  for (let n = 0; n < 5; n++) {
    moments.push(await holdsNow(devTools))
    await page.waitForTimeout(200)
  }
  const least = (name: "heap" | "listeners" | "nodes") => Math.min(...moments.map((moment) => moment[name]))
  return { nodes: least("nodes"), listeners: least("listeners"), heap: least("heap") }
}

const connect = async (page: Page) => {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send("Performance.enable")
  return devTools
}

describe("an open page", () => {
  const { visit } = useConsole({ browsers: 20 })

  it.runIf(isWhole)("holds no more memory after an hour of events and screens than after ten minutes", () =>
    visit("/", async (page, { world }) => {
      await page.clock.install()
      await page.reload()
      const devTools = await connect(page)
      const template = world.runs.get(runId(0))
      if (template === undefined) throw new Error("There is no run")
      let made = 0
      /** Ten minutes: every screen, events about new runs, and the page's own timers. */
      const tenMinutes = async () => {
        for (const name of screens) {
          await page.getByRole("navigation", { name: "Screens" }).getByRole("link", { name, exact: true }).click()
          await page.getByRole("heading", { level: 1 }).waitFor()
          for (let n = 0; n < 250; n++) {
            world.tell("run", { ...template, id: runId(10_000_000 + ++made) })
            world.tell("browser", { ...world.browsers.get(runId(900_000)), id: runId(20_000_000 + made) })
          }
          await page.clock.runFor("01:10")
          await page.waitForTimeout(100)
        }
        return holds(page, devTools)
      }
      // caches and lists with a limit are full by then
      await tenMinutes()
      const before = await tenMinutes()
      for (let round = 0; round < 3; round++) await tenMinutes()
      const after = await tenMinutes()
      assert.isAtMost(after.listeners, before.listeners + 5, JSON.stringify({ before, after }))
      assert.isAtMost(after.nodes, before.nodes * 1.05 + 50, JSON.stringify({ before, after }))
      assert.isAtMost(after.heap, before.heap * 1.1 + 1_000_000, JSON.stringify({ before, after }))
    })
  )
})
