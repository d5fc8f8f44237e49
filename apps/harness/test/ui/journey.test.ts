import { assert, describe, it } from "@effect/vitest"
import { open } from "@webagent/test-chromium"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { type Served, serve } from "./served.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-journey-"))
const [cart, gate] = [join(folder, "cart"), join(folder, "gate")]

writeFileSync(
  join(folder, "shop.suite.ts"),
  `import { scenario, Suite } from "@webagent/scenario/promise"
import { existsSync } from "node:fs"
export default Suite.make("shop", [
  scenario("fills the cart", ({ check }) => check.isTrue(!existsSync(${JSON.stringify(cart)}), "the cart is full")),
  scenario("waits for the gate", { timeout: "5 minutes" }, async ({ check }) => {
    while (!existsSync(${JSON.stringify(gate)})) await new Promise((resolve) => setTimeout(resolve, 20))
    check.isTrue(true, "the gate is open")
  })
], { owner: "checkout team" })
`
)

const openGate = () => writeFileSync(gate, "")
const closeGate = () => rmSync(gate)

describe("the page of a running ui in Chromium", () => {
  let browser: Browser
  let ui: Served
  let page: Page

  beforeAll(async () => {
    ui = await serve(folder)
    browser = await open()
    page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${ui.origin}/ui/#token=${ui.token}`)
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    ui?.program.signal("SIGINT")
    await ui?.program.ended
    rmSync(folder, { recursive: true })
  })

  const menu = (name: string) => page.getByRole("link", { name, exact: true }).first().click()

  const headline = async () => (await page.getByRole("heading", { level: 1 }).textContent()) ?? ""

  /** Starts everything, recorded as a night. */
  const recordAll = async () => {
    await menu("Suites")
    await page.getByRole("button", { name: "Select all 2" }).click()
    await page.getByLabel("Record as a night").check()
    await page.getByRole("button", { name: "Run 2 scenarios" }).click()
  }

  it("runs all suites as a night, which can be watched until it has finished", { timeout: 120_000 }, async () => {
    await recordAll()
    await page
      .getByRole("link", { name: /^Watch trial \d$/u })
      .first()
      .waitFor()
    await page.getByText(/^0 of 2 scenarios|^1 of 2 scenarios/u).waitFor()
    openGate()
    await page.getByRole("link", { name: "report.json" }).waitFor()
    assert.include(await headline(), "all 2 scenarios passed")
  })

  it("shows the next night's failure with its owner, and compares the two", { timeout: 120_000 }, async () => {
    writeFileSync(cart, "")
    await recordAll()
    await page.getByRole("heading", { name: "1 error" }).waitFor()
    await page.getByText("checkout team").first().waitFor()
    await menu("Nights")
    await page.getByLabel("Only problems").check()
    await page.getByText(/^1 scenario of 2, 2 nights/u).waitFor()
    await page.getByText("Compare two nights").click()
    await page.getByRole("link", { name: "Compare", exact: true }).click()
    await page.getByText("newly failing", { exact: true }).waitFor()
    assert.strictEqual(await page.getByText("newly failing", { exact: true }).count(), 1)
  })

  it("quarantines the failing scenario in the file of the command line", { timeout: 120_000 }, async () => {
    await menu("Runs")
    await page.locator("tbody a").first().click()
    await page.getByRole("button", { name: "Quarantine…" }).first().click()
    await page.getByLabel("Reason").fill("SHOP-13")
    await page.getByRole("button", { name: "Quarantine", exact: true }).click()
    await page.getByText(/^Quarantined until/u).waitFor()
    const { entries } = JSON.parse(readFileSync(join(folder, "webagent.quarantine.json"), "utf8"))
    assert.deepInclude(entries[0], { suite: "shop", scenario: "fills the cart", owner: "checkout team" })
  })

  it("reruns failed scenarios, and stops a run, which writes its report", { timeout: 120_000 }, async () => {
    rmSync(cart)
    await page.getByRole("button", { name: "Run the 1 that didn't pass" }).click()
    await page.getByText("1 of 1 scenario passed").waitFor()
    assert.include(await headline(), "1 chosen scenario")
    closeGate()
    await menu("Suites")
    await page.getByLabel("Select waits for the gate").check()
    await page.getByRole("button", { name: "Run 1 scenario" }).click()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByText("Run stopped. Its report was written.").waitFor()
    await page.getByText("The run was stopped before it finished.").waitFor()
  })
})
