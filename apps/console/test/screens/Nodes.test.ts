import { assert, describe, it } from "vitest"
import { useConsole } from "./Console.ts"

describe("nodes", () => {
  const { visit } = useConsole()

  it("show their version, the queue and the database", () =>
    visit("/nodes", async (page) => {
      const cells = page.getByRole("region", { name: "Nodes" }).locator("td[data-name=Version]")
      await cells.first().waitFor()
      // a node of an older version doesn't report it
      assert.deepStrictEqual(await cells.allTextContents(), ["0.1.0", "–"])
      await page.locator("dd").getByText("postgres, 12.3 MB").waitFor()
      await page.getByRole("link", { name: "3", exact: true }).click()
      await page.waitForURL(/\/runs\?status=queued$/u)
    }))
})
