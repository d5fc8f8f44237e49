import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { downloaded } from "../server/handlers/Files.ts"
import { hostile } from "../server/World.ts"
import { checkAccessibility, checkWidth, isWhole, looks, runId, useConsole } from "./Console.ts"

describe("files of runs", () => {
  const { visit } = useConsole()

  it("are saved under their names and never opened, whatever a website called them", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      const list = page.getByRole("region", { name: "Details" }).locator("li a[download]")
      await list.first().waitFor()
      assert.deepStrictEqual((await list.allTextContents()).slice(0, 2), ["report.csv", hostile[0]])
      for (const name of ["report.csv", hostile[0]]) {
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name, exact: true }).click()
        ])
        assert.strictEqual(readFileSync(await file.path(), "utf8"), downloaded)
        assert.match(new URL(file.url()).pathname, /^\/console\/api\/runs\/[^/]+\/attachments\/[^/]+$/u)
      }
      assert.isUndefined(await page.evaluate(() => (globalThis as { pwned?: number }).pwned))
      assert.match(page.url(), /\/console\/runs\//u)
    }))

  it("are uploaded for a new run, which starts with them and with the selected profile", () =>
    visit("/start", async (page, { world }) => {
      await page.getByLabel("Task", { exact: true }).fill("Send the price list")
      await page.getByText("Options", { exact: true }).click()
      const field = page.getByLabel("Files for the agent")
      await field.setInputFiles([
        { name: "prices.csv", mimeType: "text/csv", buffer: Buffer.from("1,2") },
        { name: "notes", mimeType: "", buffer: Buffer.from("none") }
      ])
      await page.getByRole("button", { name: "Remove notes" }).click()
      assert.deepStrictEqual(
        [...world.uploads.values()],
        [
          { name: "prices.csv", bytes: "1,2" },
          { name: "notes", bytes: "none" }
        ]
      )
      const profile = page.getByLabel("Profile")
      assert.include(await profile.locator("option").allTextContents(), hostile[1])
      await profile.selectOption("Shop, signed in")
      await page.getByText('"upload-1"').first().waitFor()
      await page.getByRole("button", { name: "Start the run" }).click()
      await page.waitForURL(/\/console\/runs\//u)
      assert.deepStrictEqual(world.created, [
        {
          task: "Send the price list",
          attachedFileIds: ["upload-1"],
          browserSettings: { profileId: "00000000-0000-7000-8000-000000980001" }
        }
      ])
    }))

  it("are not attached if the server refuses one, and the form names it", () =>
    visit("/start", async (page, { world }) => {
      await page.getByText("Options", { exact: true }).click()
      await page.route("**/uploads/**", (route) => route.fulfill({ status: 404, body: "" }))
      const buffer = Buffer.from("1,2")
      await page.getByLabel("Files for the agent").setInputFiles([{ name: "prices.csv", mimeType: "text/csv", buffer }])
      await page.getByText("The server refused prices.csv with status 404.").waitFor()
      assert.strictEqual(await page.getByRole("list", { name: "Attached files" }).count(), 0)
      assert.deepStrictEqual([...world.uploads.values()], [{ name: "prices.csv", bytes: null }])
    }))

  for (const [name, look] of Object.entries(looks)) {
    it.runIf(isWhole)(`axe finds nothing on them in ${name}, and nothing scrolls sideways`, () =>
      visit(
        "/start",
        async (page, { address }) => {
          await page.getByText("Options", { exact: true }).click()
          const file = { name: `${"a".repeat(120)}.csv`, mimeType: "text/csv", buffer: Buffer.from("1,2") }
          await page.getByLabel("Files for the agent").setInputFiles([file])
          await page.getByRole("list", { name: "Attached files" }).waitFor()
          await checkAccessibility(page, "start")
          await checkWidth(page, "start")
          await page.goto(`${address}/console/runs/${runId(2)}`)
          await page.getByText("report.csv", { exact: true }).scrollIntoViewIfNeeded()
          await checkAccessibility(page, "run")
          await checkWidth(page, "run")
        },
        look
      )
    )
  }
})
