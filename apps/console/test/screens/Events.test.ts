import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { runId, type Server, useConsole } from "./Console.ts"

const rows = (page: Page) => page.getByRole("region", { name: "Events" }).locator("tbody tr")

const change = ({ world }: Server, n: number, status: "running" | "completed") => {
  const run = world.runs.get(runId(n))
  if (run === undefined) throw new Error(`There is no run ${n}`)
  world.put({ ...run, status })
}

describe("events", () => {
  const { visit } = useConsole()

  it("are followed, filtered in the address, paused and opened with the keyboard", () =>
    visit("/", async (page, server) => {
      await page.keyboard.press("g")
      await page.keyboard.press("a")
      await page.getByText("No changes yet").waitFor()
      change(server, 0, "running")
      change(server, 1, "completed")
      await rows(page).nth(1).waitFor()
      await page.getByText("At position 1002").waitFor()
      await page.getByRole("button", { name: "Pause" }).click()
      change(server, 3, "completed")
      await page.getByRole("button", { name: "Follow (1 new)" }).click()
      await rows(page).nth(2).waitFor()
      await page.getByLabel("Key", { exact: true }).fill("support")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/events\?key=support$/u)
      // the log is read with the filter
      await rows(page).first().waitFor()
      assert.strictEqual(await rows(page).count(), 1)
      await page.goBack()
      await rows(page).nth(2).waitFor()
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/runs\/.*3$/u)
    }))

  it("that happened during an interruption are loaded, and the screen mentions it", () =>
    visit("/events", async (page, server) => {
      change(server, 0, "running")
      await rows(page).first().waitFor()
      server.cut()
      change(server, 1, "completed")
      change(server, 3, "completed")
      await page.getByText("Reconnected: caught up with 2 events").waitFor()
      await page.getByText(/Events that arrived afterwards: 2/u).waitFor()
      assert.strictEqual(await rows(page).count(), 4)
    }))

  it("from before the page was opened follow the new ones, page by page, with the same filters", () =>
    visit("/", async (page, server) => {
      server.world.remember(230)
      await page.getByRole("link", { name: "Events", exact: true }).click()
      await rows(page).nth(99).waitFor()
      change(server, 0, "running")
      await page.getByText("At position 1001").waitFor()
      const positions = () => rows(page).locator("td:nth-child(2)").allTextContents()
      assert.deepStrictEqual(
        await positions(),
        Array.from({ length: 100 }, (_, index) => String(1001 - index))
      )
      for (const n of [200, 231]) {
        await page.getByRole("button", { name: "Show older events" }).click()
        await rows(page)
          .nth(n - 1)
          .waitFor()
      }
      await page.getByRole("button", { name: "Show older events" }).waitFor({ state: "detached" })
      assert.deepStrictEqual(
        await positions(),
        Array.from({ length: 231 }, (_, index) => String(1001 - index))
      )
      await page.getByLabel("Key", { exact: true }).fill("support")
      await page.keyboard.press("Enter")
      await page.waitForURL(/key=support$/u)
      await rows(page).nth(70).waitFor()
      assert.deepStrictEqual([...new Set(await rows(page).locator("td:nth-child(6)").allTextContents())], ["support"])
      // the log has no nodes
      await page.getByLabel("Node", { exact: true }).fill("node-b")
      await page.keyboard.press("Enter")
      await page.getByText("the server's log doesn't include nodes").waitFor()
    }))

  it("are read from the log when too many were missed", () =>
    visit("/events", async (page, server) => {
      change(server, 0, "running")
      await page.getByText("At position 1001").waitFor()
      server.world.remember(3)
      for (const row of server.world.log) Object.assign(row, { position: String(Number(row.position) + 2) })
      server.world.tell("reset", {})
      await rows(page).nth(2).waitFor()
      assert.deepStrictEqual(await rows(page).locator("td:nth-child(2)").allTextContents(), ["1002", "1001", "1000"])
    }))

  it("are next to the audit log, which has its own address", () =>
    visit("/events", async (page) => {
      await page.getByRole("link", { name: "Audit log" }).click()
      await page.waitForURL(/\/events\/audit$/u)
      await page.getByRole("heading", { name: "Audit log" }).waitFor()
      assert.strictEqual(await page.getByRole("link", { name: "Events" }).getAttribute("aria-current"), "page")
    }))
})
