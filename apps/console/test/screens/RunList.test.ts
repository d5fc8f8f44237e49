import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { runId, useConsole } from "./Console.ts"
import { pathOf, row } from "./reading.ts"

describe("the list of runs", () => {
  const { visit } = useConsole()

  it("has its filters in the address, and Back undoes one", () =>
    visit("/", async (page) => {
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await row(page, 0).waitFor()
      await page.getByRole("button", { name: /^Failed/u }).click()
      await page.waitForURL(/\/runs\?status=failed$/u)
      await page.getByRole("searchbox").fill("oslo")
      await page.waitForURL(/\/runs\?status=failed&search=oslo$/u)
      await page.waitForFunction(() => document.querySelectorAll("[role=row][aria-selected]").length > 2)
      const statuses = await page.locator("[role=row] [data-status]").allTextContents()
      assert.deepStrictEqual([...new Set(statuses)], ["Failed"])
      await page.getByRole("searchbox").fill("oslo may")
      await page.waitForURL(/search=oslo\+may$/u)
      // what was typed is one entry
      await page.goBack()
      await page.waitForURL(/\/runs\?status=failed$/u)
      assert.strictEqual(await page.getByRole("searchbox").inputValue(), "")
      await page.goBack()
      await page.waitForURL(/\/runs$/u)
      // a link to the screen in view adds none
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await page.goBack()
      assert.strictEqual(await page.locator("h1").textContent(), "Overview")
    }))

  it("shows any of its rows, and only the rows in view are in the page", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      assert.strictEqual(await page.getByRole("grid").getAttribute("aria-rowcount"), "301")
      await page.keyboard.press("j")
      const last = row(page, 299)
      // each End reaches the last row that was read, and the next rows are then on their way
      while (!(await last.evaluateAll((rows) => rows.includes(document.activeElement as HTMLElement)))) {
        await page.keyboard.press("End")
        await page.waitForTimeout(100)
      }
      assert.isAtMost(await page.locator("[role=row]").count(), 60)
    }))

  it("is used with only the keyboard: move, select, open, return", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      assert.strictEqual(await row(page, 1).getAttribute("aria-selected"), "true")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/runs\/00000000/u)
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      await page.waitForURL(/\/runs$/u)
      await page.keyboard.press("/")
      assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search")
      // letters are text while one types
      await page.keyboard.type("gojk?")
      assert.strictEqual(await page.getByRole("searchbox").inputValue(), "gojk?")
    }))

  it("cancels the selected runs after a confirmation, and shows how many", () =>
    visit("/runs?status=running", async (page, { world }) => {
      await row(page, 0).waitFor()
      await row(page, 0).getByRole("checkbox").check()
      await row(page, 1).getByRole("checkbox").check()
      await page.getByRole("button", { name: "Cancel 2 runs" }).click()
      const dialog = page.getByRole("alertdialog")
      await dialog.getByRole("button", { name: "Back" }).click()
      assert.strictEqual(world.runs.get(runId(0))?.status, "running")
      await page.getByRole("button", { name: "Cancel 2 runs" }).click()
      await dialog.getByRole("button", { name: "Cancel 2 runs" }).click()
      await page.getByText("2 runs cancelled").waitFor()
      assert.strictEqual(world.runs.get(runId(0))?.status, "cancelled")
      // they no longer fit the filter, and the event said so
      await page.waitForFunction((id) => !document.body.textContent?.includes(id), runId(0))
    }))

  it("runs selected tasks again and shows new runs when asked, without moving the list", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      const first = await row(page, 0).textContent()
      await row(page, 2).getByRole("checkbox").check()
      await page.getByRole("button", { name: "Run 1 again" }).click()
      const fresh = page.getByRole("button", { name: "Show 1 new" })
      await fresh.waitFor()
      assert.strictEqual(await row(page, 0).textContent(), first)
      await fresh.click()
      await page.waitForFunction(() =>
        document.querySelector('[role=row][aria-rowindex="2"]')?.textContent?.includes("000000700001")
      )
    }))

  it("explains why runs aren't started again, and keeps them selected", () =>
    visit("/runs", async (page) => {
      await page.route("**/runs/retry", (route) =>
        route.fulfill({
          status: 201,
          json: { started: [], notFound: [], refused: [{ id: runId(2), detail: "The key has no quota left" }] }
        })
      )
      await row(page, 1).getByRole("checkbox").check()
      await row(page, 2).getByRole("checkbox").check()
      await page.getByRole("button", { name: "Run 2 again" }).click()
      await page.getByText("0 runs started again, 1 refused: The key has no quota left").waitFor()
      await page.getByRole("button", { name: "Run 1 again" }).waitFor()
      assert.isTrue(await row(page, 2).getByRole("checkbox").isChecked())
    }))

  it("has the runs that started and finished while another screen was open", () =>
    visit("/runs", async (page, { world }) => {
      await row(page, 0).waitFor()
      await page.getByRole("link", { name: "Settings" }).click()
      const run = world.start("A short task")
      world.cancel(run.id)
      // its events are applied together, 100 ms later
      await page.waitForTimeout(500)
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await row(page, 0).getByText("A short task").waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^Show/u }).count(), 0)
    }))

  it("exports the rows that match the filters", () =>
    visit("/runs?status=failed", async (page, { world }) => {
      await row(page, 0).waitFor()
      const saved = async (format: string) => {
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: format }).click()
        ])
        return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") }
      }
      const csv = await saved("CSV")
      assert.strictEqual(csv.name, "runs.csv")
      assert.match(csv.text, /^id,status,task,/u)
      assert.lengthOf(csv.text.split("\r\n"), 44)
      const json = await saved("JSON")
      assert.lengthOf(JSON.parse(json.text) as Array<unknown>, 43)
      // the audit log has who took the records along
      while (world.exports.length < 2) await page.waitForTimeout(20)
      assert.deepStrictEqual(world.exports[0], { list: "runs", count: 43 })
    }))
})

describe("the rows of the list", () => {
  const { visit } = useConsole()

  it("open with a click anywhere but on the checkbox", () =>
    visit("/runs", async (page) => {
      await row(page, 3).getByRole("checkbox").click()
      assert.strictEqual(pathOf(page), "/runs")
      await row(page, 3).click()
      await page.waitForURL(`**/console/runs/${runId(3)}`)
    }))
})
