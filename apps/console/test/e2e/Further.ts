import { strFromU8, unzipSync } from "fflate"
import { assert } from "vitest"
import { checkAccessibility } from "../screens/Console.ts"
import type { Journey } from "./Journey.ts"
import { confirm, goTo, toFirstRow, press, save, start, tabTo } from "./Keyboard.ts"

/** Screens by their addresses, with their headings. */
const addresses = {
  "/": "Overview",
  "/start": "Start a run",
  "/runs": "Runs",
  "/wall": "Live wall",
  "/keys": "Keys",
  "/sessions": "Sessions",
  "/spend": "Spend",
  "/nodes": "Nodes",
  "/events": "Events",
  "/events/audit": "Audit log",
  "/shares": "Shared runs",
  "/settings": "Settings"
} as const

/** Less frequent journeys. Together with the basic ones they use every function of the console. */
export const further: ReadonlyArray<Journey> = [
  {
    name: "searches for a run, runs it again, and exports the list",
    uses: ["Runs: search", "Runs: run again", "Runs: export CSV", "Runs: export JSON"],
    run: async ({ page }) => {
      await start(page, "Weigh a green teapot [simulate duration=200ms output=400g]")
      await page.locator("[data-status=completed]").first().waitFor()
      await goTo(page, "r", "Runs")
      await page.keyboard.press("/")
      await page.keyboard.type("teapot")
      await page.waitForURL(/search=teapot$/u)
      const rows = page.locator("[role=row][aria-selected]")
      await page.waitForFunction(() => document.querySelectorAll("[role=row][aria-selected]").length === 1)
      // a notice is shown for 6 seconds only, and a busy machine may take longer to save the file
      const [csv] = await Promise.all([save(page, "CSV"), page.getByText("1 run exported").waitFor()])
      assert.strictEqual(csv.name, "runs.csv")
      assert.lengthOf(csv.bytes.toString().split("\r\n"), 2)
      const json = await save(page, "JSON")
      assert.deepInclude((JSON.parse(json.bytes.toString()) as ReadonlyArray<object>)[0], {
        result: "400g",
        owner: "me"
      })
      await toFirstRow(page)
      await page.keyboard.press("x")
      await press(page, "Run 1 again")
      await page.getByText("1 run started again").waitFor()
      await press(page, "Show 1 new")
      await rows.nth(1).waitFor()
      assert.strictEqual(await rows.count(), 2)
    }
  },
  {
    name: "interrupts a run with another task",
    uses: ["Run: interrupt"],
    run: async ({ page }) => {
      await start(page, "Read all reviews [simulate duration=60s]")
      await page.locator("[data-status=running]").first().waitFor()
      await tabTo(page, "Follow-up")
      await page.keyboard.type("Read only one [simulate duration=200ms output=one]")
      await press(page, "Interrupt")
      await page.getByRole("heading", { level: 1, name: /^Read only one/u }).waitFor()
      await page.getByRole("region", { name: "Result" }).getByText("one").waitFor()
      await page.getByRole("list", { name: "Runs in this session" }).locator("[data-status=cancelled]").waitFor()
    }
  },
  {
    name: "marks a run, saves it in every format, and makes it a scenario",
    uses: ["Run: mark", "Run: Markdown", "Run: JSON", "Run: ZIP", "Run: raw response", "Run: scenario"],
    run: async ({ page }) => {
      await start(page, "Name a color [simulate duration=200ms output=teal]")
      await page.locator("[data-status=completed]").first().waitFor()
      await tabTo(page, "Note")
      await page.keyboard.type("It was blue")
      await press(page, "Wrong")
      await page.getByText("It was blue").waitFor()
      await press(page, "Remove the verdict")
      await page.getByRole("button", { name: "Right" }).waitFor()
      const id = /[\w-]+$/u.exec(page.url())?.[0] ?? ""
      await press(page, "Export")
      await page.getByRole("dialog").getByText(`"id": "${id}"`).waitFor()
      const markdown = await save(page, "Markdown")
      assert.include(markdown.bytes.toString(), "teal")
      const json = await save(page, "JSON")
      assert.include(json.bytes.toString(), id)
      const zip = await save(page, "ZIP")
      const files = unzipSync(new Uint8Array(zip.bytes))
      assert.strictEqual((JSON.parse(strFromU8(files["run.json"] ?? new Uint8Array())) as { id: string }).id, id)
      await page.keyboard.press("Escape")
      await press(page, "Copy as code")
      const dialog = page.getByRole("dialog")
      await tabTo(page, "curl")
      for (const name of ["curl", "TypeScript", "Effect", "Published client", "fetch", "MCP", "Scenario"]) {
        if (name !== "curl") await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
        const panel = dialog.getByRole("tabpanel", { name, exact: true })
        await panel.waitFor()
        assert.include((await panel.textContent()) ?? "", "Name a color")
      }
      const suite = await save(page, "Save the suite")
      assert.match(suite.name, /\.suite\.ts$/u)
      await page.keyboard.press("Escape")
    }
  },
  {
    name: "opens a browser of the wall, and stops many",
    uses: ["Live wall: open", "Live wall: stop many"],
    run: async ({ address, key, page }) => {
      for (const _ of ["one", "another"]) {
        const headers = { "x-service-api-key": key, "content-type": "application/json" }
        const { status } = await fetch(`${address}/api/v4/browsers`, { method: "POST", headers, body: "{}" })
        assert.strictEqual(status, 201)
      }
      await goTo(page, "w", "Live wall")
      const tiles = page.getByRole("link", { name: /^Open browser/u })
      await tiles.nth(1).waitFor()
      await toFirstRow(page)
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/browsers\/[\w-]+$/u)
      await page.getByText("Simulated browsers have no picture").waitFor()
      await page.goBack()
      await tiles.first().waitFor()
      const n = await tiles.count()
      await press(page, "Select all")
      await confirm(page, `Stop ${n} browsers`)
      await page.getByText(`${n} browsers stopped`).waitFor()
      await page.getByText("No browser is running").waitFor()
    }
  },
  {
    name: "continues a session, stops it and deletes it",
    uses: ["Sessions: follow-up", "Sessions: stop", "Sessions: purge"],
    run: async ({ page }) => {
      await start(page, "Begin a session [simulate duration=200ms output=begun]")
      await page.locator("[data-status=completed]").first().waitFor()
      await goTo(page, "e", "Sessions")
      const session = page.getByRole("region", { name: "Sessions" }).locator("tbody tr").first()
      const id = (await session.locator("code").textContent()) ?? ""
      await press(page, id)
      await page.waitForURL(new RegExp(`session=${id}$`, "u"))
      await page.getByRole("grid").getByText("Begin a session").waitFor()
      await toFirstRow(page)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: /^Begin a session/u }).waitFor()
      await tabTo(page, "Follow-up")
      await page.keyboard.type("Continue it [simulate duration=200ms output=continued]")
      await page.keyboard.press("Enter")
      await page.getByRole("region", { name: "Result" }).getByText("continued").waitFor()
      await goTo(page, "e", "Sessions")
      await confirm(page, `Stop session ${id}`, "Stop the session")
      await page.getByRole("button", { name: `Stop session ${id}` }).waitFor({ state: "detached" })
      await confirm(page, `Delete session ${id}`, "Delete the session")
      await page.getByText(id, { exact: true }).waitFor({ state: "detached" })
    }
  },
  {
    name: "limits, rotates and revokes a key",
    uses: ["Keys: limits", "Keys: rotate", "Keys: revoke"],
    run: async ({ address, page }) => {
      const secretOf = async () => {
        const text = (await page.getByRole("region", { name: "The key" }).textContent()) ?? ""
        await press(page, "I've copied it")
        return text
      }
      const statusOf = async (key: string) =>
        (await fetch(`${address}/api/v4/runs/none`, { headers: { "x-service-api-key": key } })).status
      await goTo(page, "k", "Keys")
      await press(page, "Create a key")
      await page.getByRole("dialog").getByLabel("Name").waitFor()
      await tabTo(page, "Name")
      await page.keyboard.type("blog")
      await press(page, "Create the key")
      await page.getByRole("region", { name: "The key" }).waitFor()
      const first = await secretOf()
      await press(page, "Set limits for blog")
      await page.getByRole("dialog").waitFor()
      await tabTo(page, "USD per day")
      await page.keyboard.type("2")
      await press(page, "Set limits")
      await page.getByText("$0.00 of $2.00").waitFor()
      await confirm(page, "Rotate blog")
      await page.getByRole("region", { name: "The key" }).waitFor()
      const second = await secretOf()
      assert.deepStrictEqual([await statusOf(first), await statusOf(second)], [401, 404])
      await confirm(page, "Revoke blog")
      await page.getByText("Key blog revoked").waitFor()
      assert.strictEqual(await statusOf(second), 401)
    }
  },
  {
    name: "reads and exports the spend, limits a key, and reads the settings",
    uses: ["Spend: export", "Spend: by day, key and model", "Spend: by run", "Spend: caps", "Settings: read"],
    run: async ({ page }) => {
      await goTo(page, "c", "Spend")
      for (const by of ["day", "model"]) {
        await press(page, `By ${by}`)
        await page.waitForURL(new RegExp(`by=${by}$`, "u"))
        await page.getByRole("region", { name: "Spend" }).getByRole("rowheader").first().waitFor()
      }
      await press(page, "By key")
      await page.waitForURL(/by=key$/u)
      await page.getByRole("region", { name: "Spend" }).getByRole("rowheader", { name: "me" }).waitFor()
      const csv = await save(page, "CSV")
      assert.match(csv.bytes.toString(), /^key,usd/u)
      await press(page, "By run")
      await page.waitForURL(/by=run$/u)
      await page.getByText("These runs cost the most").waitFor()
      await press(page, "Set limits for me")
      await page.getByRole("dialog").waitFor()
      await tabTo(page, "USD per day")
      await page.keyboard.type("500")
      await press(page, "Set limits")
      await page.getByRole("region", { name: "Daily limits" }).getByText("$500.00").waitFor()
      await goTo(page, "t", "Settings")
      await page.getByRole("region", { name: "Server details" }).getByText("Version").waitFor()
      await checkAccessibility(page, "the settings of the server")
    }
  },
  {
    name: "follows events, filters them, reads older ones and the audit log",
    uses: ["Events: follow", "Events: filter", "Events: older", "Audit: filter"],
    run: async ({ address, page }) => {
      await goTo(page, "a", "Events")
      // a new page has no events of its own
      await page.reload()
      const rows = page.getByRole("region", { name: "Events" }).locator("tbody tr")
      await rows.nth(20).waitFor()
      // events of before the connection have the words of the log
      await page.getByText("Live", { exact: true }).waitFor()
      const before = await rows.count()
      const other = await page.context().newPage()
      await other.goto(`${address}/console/`)
      await other.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      await start(other, "Make an event [simulate duration=200ms output=made]")
      await other.locator("[data-status=completed]").first().waitFor()
      const id = /[\w-]+$/u.exec(other.url())?.[0] ?? ""
      await other.close()
      // another node may add the cost after the end, which is one more change
      await page.getByText("completed: Make an event").first().waitFor()
      assert.isAtLeast(await rows.count(), Math.min(100, before))
      await tabTo(page, "Run ID")
      await page.keyboard.type(id)
      await page.keyboard.press("Enter")
      await page.waitForURL(new RegExp(`run=${id}$`, "u"))
      await page.reload()
      // the log has it, after a reload
      await rows.getByText("running to completed").waitFor()
      await rows.getByText("new: queued").waitFor()
      await press(page, "Audit log")
      await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor()
      await page.getByText("keys.revoke").or(page.getByText("console.signIn")).first().waitFor()
      await tabTo(page, "Action")
      await page.keyboard.type("console.signIn")
      await page.keyboard.press("Enter")
      await page.waitForURL(/action=console\.signIn$/u)
      await page.getByText("keys.revoke").waitFor({ state: "detached" })
      await page.getByRole("cell", { name: "console.signIn" }).first().waitFor()
    }
  },
  {
    name: "opens every screen by its address, and goes back through them",
    uses: ["Addresses and Back"],
    run: async ({ address, page }) => {
      for (const [path, heading] of Object.entries(addresses)) {
        await page.goto(`${address}/console${path}`)
        await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor()
      }
      for (const heading of Object.values(addresses).toReversed().slice(1)) {
        await page.goBack()
        await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor()
      }
    }
  },
  {
    name: "goes anywhere from the palette, and changes the theme",
    uses: ["Overview: go to anything", "Palette", "Themes"],
    run: async ({ page }) => {
      await goTo(page, "o", "Overview")
      await page.keyboard.press("Control+k")
      await page.getByRole("option").first().waitFor()
      await page.keyboard.type("spend")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Spend" }).waitFor()
      await press(page, "Dark theme")
      assert.strictEqual(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark")
      await checkAccessibility(page, "the spend in dark")
      await press(page, "Light theme")
    }
  },
  {
    name: "signs out",
    uses: ["Sign-out"],
    run: async ({ page }) => {
      const before = await page.context().cookies()
      await press(page, "Sign out")
      await page.getByLabel("API key").waitFor()
      assert.lengthOf(before, 1)
      assert.deepStrictEqual(await page.context().cookies(), [])
      await page.goBack()
      await page.getByLabel("API key").waitFor()
    }
  }
]
