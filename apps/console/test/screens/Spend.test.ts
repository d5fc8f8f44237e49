import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, useConsole, widths } from "./Console.ts"

describe("the spend", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`lists the costliest runs, and limits a key, at ${look.width} px`, () =>
      visit(
        "/spend?by=run",
        async (page, { world }) => {
          const rows = page.getByRole("region", { name: "Spend" }).locator("tbody tr")
          await rows.nth(11).waitFor()
          assert.match((await rows.first().getByRole("link").getAttribute("href")) ?? "", /\/console\/runs\/[\w-]+$/u)
          await checkAccessibility(page, "the costliest runs")
          await checkWidth(page, "the costliest runs")
          await page.getByRole("button", { name: "Set limits for support" }).click()
          await page.getByRole("dialog").getByLabel("USD per day").fill("2.5")
          await page.getByRole("dialog").getByRole("button", { name: "Set limits" }).click()
          await page.getByRole("region", { name: "Daily limits" }).getByText("$2.50").waitFor()
          assert.strictEqual(world.keys[1]?.limits.usdPerDay, 2.5)
          assert.strictEqual(world.keys[1]?.limits.runs, 5)
        },
        look
      ))
  }
})
