import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { hostile } from "../server/World.ts"
import { checkAccessibility, checkWidth, isWhole, looks } from "./Console.ts"
import { useSimulation } from "./SimulatedConsole.ts"

const rows = (page: Page) => page.getByRole("region", { name: "Journal" }).locator("tbody tr")

describe("the simulated service", () => {
  const { visit } = useSimulation()

  it("changes its profile and its faults, and an app notices", () =>
    visit("/", async (page, { send }) => {
      await page.keyboard.press("g")
      await page.keyboard.press("m")
      await page.getByRole("button", { name: "Use flaky" }).click()
      await page.getByText("The flaky profile is active").waitFor()
      await page.getByRole("link", { name: /^Faults/u }).click()
      await page.getByRole("button", { name: "Remove all" }).click()
      await page.getByText("No faults", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Add a fault" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Fault", { exact: true }).selectOption("status")
      await dialog.getByLabel("Status", { exact: true }).fill("200")
      await dialog.getByRole("button", { name: "Add the fault" }).click()
      assert.match((await dialog.getByRole("alert").textContent()) ?? "", /^Status: /u)
      await dialog.getByLabel("Status", { exact: true }).fill("418")
      await dialog.getByLabel("Share of requests (%)").fill("-20")
      await dialog.getByLabel("Starts after").fill("later")
      await dialog.getByRole("button", { name: "Add the fault" }).click()
      await dialog.getByText(/^Share of requests \(%\): expected a number from 0 to 100\nStarts after: /u).waitFor()
      await dialog.getByLabel("Share of requests (%)").fill("")
      await dialog.getByLabel("Starts after").fill("")
      await dialog.getByLabel("Operation").selectOption("v4.getRun")
      await dialog.getByRole("button", { name: "Add the fault" }).click()
      await page.getByText("1 active fault").waitFor()
      assert.strictEqual((await send("GET", "/api/v4/runs/none")).status, 418)
      await page.getByRole("button", { name: "Remove the fault status" }).click()
      await page.getByText("No faults", { exact: true }).waitFor()
      assert.strictEqual((await send("GET", "/api/v4/runs/none")).status, 404)
      await page.getByLabel("Add a fault of a preset").selectOption({ index: 1 })
      await page.getByText("1 active fault").waitFor()
    }))

  it("accepts a profile as JSON, and names each invalid field", () =>
    visit("/simulation", async (page) => {
      await page.getByText("Edit the profile as JSON").click()
      const editor = page.getByLabel("Profile", { exact: true })
      await editor.fill('{ "extends": "flaky", "limits": { "burst": 3 } }')
      await page.getByRole("button", { name: "Use this profile" }).click()
      await page.getByRole("alert").getByText("limits.burst").waitFor()
      await editor.fill('{ "extends": "flaky", "name": "mine" }')
      await page.getByRole("button", { name: "Use this profile" }).click()
      await page.getByText("The profile is active").waitFor()
      await page.locator("dd").getByText("mine (not a preset)").waitFor()
    }))

  it("follows the journal, filters it, pauses it and opens a row at its address", () =>
    visit("/simulation/journal", async (page, { send }) => {
      await page.getByText("The journal is empty").waitFor()
      await send("GET", "/api/v4/runs/none")
      await rows(page).first().waitFor()
      await page.getByRole("button", { name: "Pause" }).click()
      await send("POST", "/api/v4/runs", { task: "Find a red mug" })
      await page.getByRole("button", { name: /^Follow \(\d+ new\)/u }).waitFor()
      assert.strictEqual(await rows(page).count(), 1)
      await page.getByRole("button", { name: /^Follow/u }).click()
      await page.getByText("POST /api/v4/runs").waitFor()
      await page.getByLabel("Kind of row").selectOption("move")
      await page.waitForURL(/\/simulation\/journal\?type=move$/u)
      await page
        .getByText(/: queued to /u)
        .first()
        .waitFor()
      await page.getByText("POST /api/v4/runs").waitFor({ state: "detached" })
      // with the keyboard alone
      await page.keyboard.press("Escape")
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("k")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/simulation\/journal\?type=move&row=\d+$/u)
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("link", { name: "Show all rows of this resource" }).waitFor()
      await page.keyboard.press("Escape")
      await page.waitForURL(/\/simulation\/journal\?type=move$/u)
      await page.goto(page.url().replace(/\?.*/u, "?row=999"))
      await page.getByText("The service no longer has this row").waitFor()
    }))

  it("advances a manual clock, and shows findings of the checks and open resources", () =>
    visit("/simulation", async (page, { send }) => {
      await page.getByRole("button", { name: "Manual" }).click()
      await page.getByRole("button", { name: "Advance 30 minutes" }).waitFor()
      await send("POST", "/api/v4/runs", { task: "Find a red mug [simulate duration=1h]" })
      await page.getByRole("button", { name: "Advance 1 second", exact: true }).click()
      await page.getByText(/^Service time is/u).waitFor()
      await page.getByLabel("Advance by").fill("soon")
      await page.getByRole("button", { name: "Advance", exact: true }).click()
      await page.getByRole("alert").getByText("Enter a time such as 200ms").waitFor()
      await page.getByLabel("Advance by").fill("1000000 days")
      await page.getByRole("button", { name: "Advance", exact: true }).click()
      await page.getByRole("alert").getByText("Advance at most 36500 days at a time.").waitFor()
      // a run says why it doesn't go on
      const { id } = (await (await send("GET", "/api/v4/runs?limit=1")).json()).runs[0]
      await page.goto(new URL(`/console/runs/${id}`, page.url()).href)
      await page.getByText("The simulated service's clock is stopped").waitFor()
      await page.getByRole("link", { name: "Advance the clock" }).click()
      await page.getByRole("link", { name: /^Checks/u }).click()
      await page.getByRole("heading", { name: "No checks failed" }).waitFor()
      await page.getByRole("heading", { name: "runs-left-running" }).waitFor()
      await page.getByRole("link", { name: /^Open/u }).click()
      await page.getByRole("button", { name: /^Cancel run/u }).click()
      await page.getByRole("button", { name: /^Cancel run/u }).waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Reset" }).click()
      await page.getByRole("button", { name: "Reset the service" }).click()
      await page.getByText("No open resources").waitFor()
    }))

  it.runIf(isWhole)("refuses connections, and the page reconnects by itself", () =>
    visit("/simulation", async (page) => {
      await page.getByRole("button", { name: "Start an outage" }).click()
      await page.getByRole("button", { name: "Start the outage" }).click()
      await page.getByText("The service refuses all connections for 10 seconds").waitFor()
      await page.getByText("Offline", { exact: true }).waitFor()
      await page.getByText("Live", { exact: true }).waitFor({ timeout: 40_000 })
      await page.getByRole("button", { name: "Use flaky" }).click()
      await page.getByText("The flaky profile is active").waitFor()
    })
  )

  const paths = ["", "/faults", "/journal", "/journal?row=1", "/checks", "/open", "/nothing"]
  for (const [name, look] of Object.entries(looks)) {
    if (!isWhole) continue
    it(`passes axe in ${name}, nothing scrolls sideways, and untrusted texts are shown as plain text`, () =>
      visit(
        "/simulation",
        async (page, { send }) => {
          const base = page.url()
          await send("PUT", "/console/api/simulation/profile", {
            profile: { name: hostile[0], description: hostile[1] }
          })
          await send("PUT", "/console/api/simulation/faults", [
            { name: hostile[1], fault: { kind: "status", detail: hostile[0] }, when: { resource: hostile[0] } }
          ])
          await send("POST", "/api/v4/runs", { task: `${hostile[0]} [simulate duration=1h]` })
          await send("GET", `/${hostile[0]}?api_key=wak_test`, undefined, { "user-agent": hostile[1] })
          for (const path of paths) {
            await page.goto(`${base}${path}`)
            // an open dialog hides the rest from roles
            await page.locator("nav[aria-label='Parts of the simulated service']").waitFor()
            await page.waitForTimeout(300)
            await checkAccessibility(page, `${path} in ${name}`)
            await checkWidth(page, `${path} in ${name}`)
            assert.isUndefined(await page.evaluate(() => (globalThis as { pwned?: number }).pwned))
            assert.strictEqual(await page.locator("[onerror],[onload],iframe").count(), 0)
          }
        },
        look
      ))
  }
})
