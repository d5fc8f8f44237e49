import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { runId, useConsole } from "./Console.ts"

const tiles = (page: Page) => page.getByRole("link", { name: /^Open browser/u })

describe("the live wall", () => {
  const { visit } = useConsole({ browsers: 60 })

  it("requests only pictures in view, and none on another screen", () =>
    visit("/wall", async (page, { world }) => {
      await page.waitForSelector("[data-picture=true]")
      await page.waitForTimeout(500)
      assert.strictEqual(await tiles(page).count(), 60)
      const first = new Set(world.shown())
      assert.isAbove(first.size, 3)
      assert.isAtMost(first.size, 24)
      await tiles(page).last().scrollIntoViewIfNeeded()
      await page.waitForTimeout(500)
      const last = world.shown()
      assert.isAtMost(last.length, 24)
      assert.isTrue(last.includes(runId(900_059)) && !first.has(runId(900_059)))
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await page.getByRole("grid").waitFor()
      await page.waitForTimeout(300)
      assert.deepStrictEqual(world.shown(), [])
    }))

  it("groups browsers in the address, opens one with the keyboard, and stops many", () =>
    visit("/", async (page, { world }) => {
      await page.keyboard.press("g")
      await page.keyboard.press("w")
      await page.getByRole("button", { name: "By node" }).click()
      await page.waitForURL(/\/wall\?by=node$/u)
      await page.getByRole("heading", { name: /^node-b\s*30 browsers$/u }).waitFor()
      await page.getByLabel(`Select browser ${runId(900_000)}`).check()
      await page.getByLabel(`Select browser ${runId(900_002)}`).check()
      await page.getByRole("button", { name: "Stop 2 browsers" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Stop 2 browsers" }).click()
      await page.getByText("2 browsers stopped").waitFor()
      await page.getByRole("heading", { name: /^node-a\s*28 browsers$/u }).waitFor()
      assert.strictEqual(world.browsers.get(runId(900_002))?.status, "stopped")
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/browsers\/[\w-]+$/u)
    }))

  it("shows that no browser runs, and then one that starts", () =>
    visit("/wall", async (page, { world }) => {
      await tiles(page).first().waitFor()
      const [one] = world.browsers.values()
      world.browsers.clear()
      world.tell("browser", { ...one, status: "stopped" })
      await page.getByText("No browser is running").waitFor()
      if (one === undefined) throw new Error("There is no browser")
      world.browsers.set(one.id, one)
      world.tell("browser", one)
      await tiles(page).first().waitFor()
    }))
})
