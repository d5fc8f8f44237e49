import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, looks, runId, useConsole, widths } from "./Console.ts"
import { hostile } from "../server/World.ts"
import { pathOf } from "./reading.ts"

/** Browsers of the made-up server: one of an agent's run, one that code drives, and one that is stopped and was recorded. */
const [ofAgent, ofCode, recorded] = [runId(900_000), runId(900_002), runId(950_002)]

const takeControl = async (page: Page) => {
  await page.getByRole("button", { name: "Take control" }).click()
  await page.getByRole("button", { name: "Release (Esc)" }).waitFor()
}

const factOf = async (page: Page, name: string) => {
  const value = page.locator("dt", { hasText: name }).locator("xpath=../dd")
  await value.waitFor()
  return value.textContent()
}

describe("a browser", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`shows the open tabs and the viewers, at ${look.width} px`, () =>
      visit(
        `/browsers/${ofAgent}`,
        async (page) => {
          const tabs = page.getByRole("list", { name: "Open tabs" }).getByRole("listitem")
          await tabs.nth(1).waitFor()
          assert.deepStrictEqual(await tabs.allTextContents(), ["Flights to Rome", `${hostile[0]} (shown)`])
          assert.deepStrictEqual(await tabs.evaluateAll((all) => all.map((tab) => tab.getAttribute("aria-current"))), [
            "false",
            "true"
          ])
          await page.locator("dd").getByText("you and 1 other").waitFor()
          await checkAccessibility(page, "a browser with two tabs")
          await checkWidth(page, "a browser with two tabs")
        },
        look
      ))
  }

  it("shows that an agent waits for a person only while it has a run in the browser", () =>
    visit(`/browsers/${ofCode}`, async (page, { world }) => {
      assert.strictEqual(await factOf(page, "Driven by"), "a CDP client, if one is connected")
      await takeControl(page)
      assert.strictEqual(await factOf(page, "Driven by"), "you")
      const browser = world.browsers.get(ofCode)
      if (browser === undefined) throw new Error("There is no browser")
      world.browsers.set(ofCode, { ...browser, agentSessionId: runId(500_000), runId: runId(0) })
      world.tell("run", world.runs.get(runId(0)))
      await page.getByText("you; the agent is waiting").waitFor()
      world.browsers.set(ofCode, { ...browser, agentSessionId: runId(500_000), driver: null })
      world.tell("run", world.runs.get(runId(0)))
      await page.getByText("you; the agent is waiting").waitFor({ state: "detached" })
      assert.strictEqual(await factOf(page, "Driven by"), "you")
    }))

  for (const look of [looks.light, looks.phone]) {
    it(`opens the address that a person with control enters, at ${look.width} px`, () =>
      visit(
        `/browsers/${ofAgent}`,
        async (page, { world }) => {
          await page.locator("canvas[data-picture=true]").waitFor()
          const field = page.getByRole("textbox", { name: "Address", exact: true })
          assert.strictEqual(await field.count(), 0)
          await takeControl(page)
          await page.locator("[data-keys]").focus()
          await page.keyboard.press("Control+L")
          await page.keyboard.type("shop.example")
          await page.keyboard.press("Enter")
          while (world.opened.length === 0) await page.waitForTimeout(20)
          await field.fill("file:///etc/passwd")
          await page.keyboard.press("Enter")
          await page.getByRole("alert").getByText("opens only http and https addresses").waitFor()
          await checkAccessibility(page, "a refused address")
          await checkWidth(page, "a refused address")
          assert.deepStrictEqual(world.opened, ["shop.example"])
          await page.keyboard.press("Escape")
          await field.waitFor({ state: "detached" })
        },
        look
      ))
  }

  it("links back to where it was opened, or otherwise to its run or the wall", () =>
    visit("/wall?by=key", async (page, { address }) => {
      await page.getByRole("link", { name: `Open browser ${ofAgent}` }).click()
      await page.getByRole("heading", { level: 1 }).getByText(hostile[0]).waitFor()
      const back = page.getByRole("link", { name: "Back" })
      assert.isAtLeast((await back.boundingBox())?.width ?? 0, 24)
      await back.click()
      await page.getByRole("heading", { level: 1, name: "Live wall" }).waitFor()
      assert.strictEqual(pathOf(page), "/wall?by=key")
      await page.goForward()
      await page.waitForURL(new RegExp(`/browsers/${ofAgent}$`, "u"))
      for (const [id, to] of [
        [ofCode, "/wall"],
        [ofAgent, `/runs/${runId(0)}`]
      ] as const) {
        await page.goto(`${address}/console/browsers/${id}`)
        await page.getByRole("link", { name: "Back" }).click()
        await page.waitForURL(`${address}/console${to}`)
      }
    }))

  it("shows its recording once it's stopped, or says why it has none", () =>
    visit(`/browsers/${recorded}`, async (page, { address, world }) => {
      await page.getByRole("heading", { name: "This browser has stopped" }).waitFor()
      await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
      const runs = page.getByRole("link", { name: "Runs that used it" })
      assert.strictEqual(await runs.getAttribute("href"), `/console/runs?session=${runId(500_002)}`)
      await checkAccessibility(page, "a stopped browser with a recording")
      await page.goto(`${address}/console/browsers/${ofAgent}`)
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByRole("button", { name: "Stop the browser" }).click()
      await page.getByText("It has no recording. To get one").waitFor()
      assert.strictEqual(world.browsers.get(ofAgent)?.status, "stopped")
      await checkAccessibility(page, "a stopped browser without a recording")
    }))
})
