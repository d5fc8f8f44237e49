import { assert, describe, it } from "vitest"
import { hostile } from "../server/World.ts"
import { checkAccessibility, checkWidth, isWhole, runId, useConsole, widths } from "./Console.ts"

describe("saved views", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`are saved under a name, opened, kept after a reload and deleted at ${look.width} px`, () =>
      visit(
        "/runs?status=failed&key=shop",
        async (page) => {
          await page.getByLabel("Name of the view").fill(hostile[0].slice(0, 40))
          await page.keyboard.press("Enter")
          await page.getByText("View saved in this browser").waitFor()
          const view = page.getByRole("list", { name: "Saved views" }).getByRole("link")
          assert.strictEqual(await view.getAttribute("aria-current"), "page")
          await checkAccessibility(page, "the list with a view")
          await checkWidth(page, "the list with a view")
          await page.getByRole("button", { name: /^Remove the filter Key/u }).click()
          await page.waitForURL(/\/runs\?status=failed$/u)
          await page.reload()
          await view.click()
          await page.waitForURL(/\/runs\?status=failed&key=shop$/u)
          await page.getByRole("button", { name: /^Delete the view/u }).click()
          await view.waitFor({ state: "detached" })
          assert.strictEqual(await page.evaluate(() => localStorage.getItem("webagent-console-views")), "[]")
        },
        look
      ))
  }

  it.runIf(isWhole)("ignore entries from another version", () =>
    visit("/runs", async (page) => {
      await page.evaluate(() =>
        localStorage.setItem(
          "webagent-console-views",
          JSON.stringify([{ name: "" }, 3, { name: "Mine", search: "?status=failed&unknown=1" }, { search: "?" }])
        )
      )
      await page.reload()
      const views = page.getByRole("list", { name: "Saved views" }).getByRole("link")
      await views.first().waitFor()
      assert.deepStrictEqual(await views.allTextContents(), ["Mine"])
      await views.click()
      await page.waitForURL(/\/runs\?status=failed$/u)
    })
  )
})

describe("the columns of the list", () => {
  const { visit } = useConsole()

  it("are selected with the keyboard, and kept after a reload", () =>
    visit("/runs", async (page) => {
      const names = () => page.getByRole("columnheader").allTextContents()
      await page.getByRole("grid").waitFor()
      const before = await names()
      await page.locator("summary", { hasText: "Columns" }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("checkbox", { name: "Node" }).focus()
      await page.keyboard.press("Space")
      await page.getByRole("checkbox", { name: "Model" }).focus()
      await page.keyboard.press("Space")
      const after = before.filter((name) => name !== "Model").toSpliced(4, 0, "Node")
      assert.deepStrictEqual(await names(), after)
      await checkAccessibility(page, "the choice of columns")
      await page.reload()
      await page.getByRole("grid").waitFor()
      assert.deepStrictEqual(await names(), after)
      // cells stay below their headers
      const left = (role: string) =>
        page
          .locator(`[role=row]:nth-child(1) > [role=${role}]`)
          .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().left)))
      assert.deepStrictEqual(await left("gridcell"), await left("columnheader"))
    }))
})

describe("cancelling all open runs", () => {
  const { visit } = useConsole()

  it("affects those that match the filters, after a confirmation with their number", () =>
    visit("/runs?key=shop", async (page, { world }) => {
      const open = () => [...world.runs.values()].filter(({ finishedAt }) => finishedAt === null)
      const ofShop = open().filter(({ owner }) => owner === "shop").length
      const others = open().length - ofShop
      await page.getByRole("button", { name: "Cancel all open" }).click()
      const dialog = page.getByRole("alertdialog")
      await checkAccessibility(page, "the confirmation")
      await dialog.getByRole("button", { name: `Cancel ${ofShop} open runs` }).click()
      await page.getByText(`${ofShop} runs cancelled`).waitFor()
      assert.lengthOf(open(), others)
      // nothing is left to cancel
      await page.getByRole("button", { name: "Cancel all open" }).waitFor({ state: "detached" })
    }))

  it("shows the number of open runs that a search finds, and isn't offered for none", () =>
    visit("/runs", async (page, { world }) => {
      const cancel = page.getByRole("button", { name: /^Cancel all open/u })
      await cancel.waitFor()
      const open = [...world.runs.values()].filter(({ finishedAt }) => finishedAt === null)
      assert.strictEqual(await cancel.textContent(), `Cancel all open (${open.length})`)
      const search = page.getByRole("searchbox", { name: "Search runs by words of their task" })
      const found = open.filter(({ task }) => task.includes("hotels")).length
      await search.fill("hotels")
      await page.getByRole("button", { name: `Cancel all open (${found})` }).waitFor()
      await search.fill("nothing of this sort")
      await page.getByRole("heading", { name: "No runs match these filters" }).waitFor()
      await cancel.waitFor({ state: "detached" })
      assert.strictEqual(await page.getByRole("button", { name: /^Running/u }).textContent(), "Running 0")
    }))

  it("is next to counts that stay until those of a search are loaded", () =>
    visit("/runs", async (page) => {
      const running = page.getByRole("button", { name: /^Running \d/u })
      await running.waitFor()
      const before = await running.textContent()
      const { promise, resolve } = Promise.withResolvers<void>()
      await page.route(/\/console\/api\/runs\?.*search=/u, async (route) => {
        await promise
        await route.continue()
      })
      await page.getByRole("searchbox").fill("invoices october totals")
      await page.locator("[role=group][aria-busy=true]").waitFor()
      assert.strictEqual(await running.textContent(), before)
      resolve()
      await page.locator("[role=group][aria-busy=false]").waitFor()
      assert.notStrictEqual(await running.textContent(), before)
    }))
})

describe("a list of a million runs", () => {
  const { visit } = useConsole({ size: 10 })

  it("keeps few rows in the page, and reads one page per hundred rows until the end", () =>
    visit("/settings", async (page, { world }) => {
      const [first] = [...world.runs.values()]
      const cursors: Array<number> = []
      await page.route(/\/console\/api\/runs\?/u, async (route) => {
        const query = new URL(route.request().url()).searchParams
        const from = Number(query.get("cursor") ?? 0)
        const limit = Number(query.get("limit") ?? 50)
        if (limit > 1) cursors.push(from)
        const rows = Array.from({ length: limit }, (_, index) => ({ ...first, id: runId(from + index) }))
        const counts = from === 0 ? { completed: { count: 10_000, more: true } } : null
        await route.fulfill({ json: { rows, next: String(from + limit), complete: true, counts } })
      })
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await page.locator('[role=row][aria-rowindex="2"]').waitFor()
      assert.deepStrictEqual(cursors, [0])
      assert.strictEqual(await page.getByRole("grid").getAttribute("aria-rowcount"), "-1")
      await page.keyboard.press("j")
      // each End reaches the last row that was read, and the next rows are then on their way
      while (cursors.length < 60) {
        await page.keyboard.press("End")
        await page.waitForTimeout(20)
      }
      assert.isAtMost(await page.locator("[role=row]").count(), 60)
      const last = Number(await page.locator("[role=row]").last().getAttribute("aria-rowindex"))
      assert.isAtLeast(last, (cursors.length - 2) * 100)
      await page.unrouteAll()
    }))
})

describe("templates of runs", () => {
  const { visit } = useConsole()

  it("are saved with all fields, selected after a reload, and deleted", () =>
    visit("/start", async (page) => {
      await page.getByLabel("Task").fill("Find a red mug")
      await page.getByText("Options", { exact: true }).click()
      await page.getByLabel("Cost limit (USD)").fill("0.25")
      await page.getByLabel("Record the browser").check()
      await page.getByLabel("Name of the template").fill("Mug")
      // it saves, and doesn't start the run
      await page.keyboard.press("Enter")
      await page.getByText("Template saved in this browser: Mug").waitFor()
      await checkAccessibility(page, "a saved template")
      await page.reload()
      await page.getByRole("button", { name: "Mug", exact: true }).click()
      assert.strictEqual(await page.getByLabel("Task").inputValue(), "Find a red mug")
      assert.strictEqual(await page.getByLabel("Cost limit (USD)").inputValue(), "0.25")
      assert.isTrue(await page.getByLabel("Record the browser").isChecked())
      // another template empties what it doesn't have
      await page.getByRole("button", { name: "Read a page" }).click()
      assert.strictEqual(await page.getByLabel("Cost limit (USD)").inputValue(), "")
      await page.getByRole("button", { name: "Delete the template Mug" }).click()
      await page.getByRole("button", { name: "Mug", exact: true }).waitFor({ state: "detached" })
    }))
})
