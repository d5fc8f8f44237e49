import { assert, describe, it } from "vitest"
import { checkAccessibility, useConsole } from "./Console.ts"

describe("the audit log", () => {
  const { visit } = useConsole()

  it("is followed, paused and filtered", () =>
    visit("/events/audit", async (page, { world }) => {
      await page.clock.install()
      await page.reload()
      const rows = page.getByRole("region", { name: "Audit log" }).locator("tbody tr")
      await rows.first().waitFor()
      const [first] = world.audit
      if (first === undefined) throw new Error("The log is empty")
      const add = (id: number, action: string) => world.audit.unshift({ ...first, id, action, key: "shop" })
      add(2, "keys.create")
      await page.clock.runFor(5000)
      await rows.getByText("keys.create").waitFor()
      await page.getByRole("button", { name: "Pause" }).click()
      add(3, "nodes.drain")
      await page.clock.runFor(20_000)
      assert.strictEqual(await rows.count(), 2)
      await page.getByRole("button", { name: "Follow" }).click()
      await rows.getByText("nodes.drain").waitFor()
      await page.getByLabel("Action").fill("keys.create")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/events\/audit\?action=keys\.create$/u)
      await rows.getByText("nodes.drain").waitFor({ state: "detached" })
      // the log is read with the filter
      await rows.getByText("keys.create").waitFor()
      // the field keeps the focus
      assert.strictEqual(await page.locator(":focus").getAttribute("aria-label"), "Action")
      assert.strictEqual(await rows.count(), 1)
      await page.getByLabel("Key").fill("blog")
      await page.keyboard.press("Enter")
      await page.getByText("No entries match these filters").waitFor()
      await checkAccessibility(page, "an audit log without a match")
      await page.getByRole("link", { name: "Clear the filters" }).click()
      await rows.nth(2).waitFor()
      assert.strictEqual(await page.getByLabel("Action").inputValue(), "")
    }))
})
