import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, runId, useConsole, widths } from "./Console.ts"
import { hostile } from "../server/World.ts"

describe("a browser", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`shows the open tabs, and who watches, at ${look.width} px`, () =>
      visit(
        `/browsers/${runId(900_000)}`,
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
})
