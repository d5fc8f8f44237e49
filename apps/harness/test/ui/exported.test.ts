import { assert, describe, it } from "@effect/vitest"
import { open } from "@webagent/test-chromium"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { run } from "../cli/program.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-export-"))
const file = join(folder, "page.html")
const hostile = "</script><img src=x onerror=globalThis.pwned=1>"

writeFileSync(
  join(folder, "shop.suite.ts"),
  `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", [
  scenario("pays by card", { needs: ["money"], tags: ["nightly"] }, async ({ check, simulate, v4 }) => {
    const { status } = await v4.runs.createAndWait({ task: simulate("Pay.", { output: "paid" }) })
    check.equal(status, "completed", "the run's status")
  }),
  scenario("${hostile}", { owner: "${hostile}" }, async () => {
    throw new Error("${hostile}\\u2028")
  })
])
`
)

describe("the page of ui --export in Chromium, without a network", () => {
  let browser: Browser

  beforeAll(async () => {
    for (let night = 0; night < 2; night++) {
      await run(["run", "--record", "--trials", "1", "--extra-trials", "0"], {}, folder)
    }
    // it builds the screens if they aren't
    assert.strictEqual((await run(["ui", "--export", file], {}, folder)).code, 0)
    browser = await open()
  }, 240_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true })
  })

  const visit = async (test: (page: Page) => Promise<void>) => {
    const context = await browser.newContext({ offline: true, reducedMotion: "reduce" })
    const page = await context.newPage()
    const problems: Array<string> = []
    page.on("pageerror", ({ message }) => problems.push(message))
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
    page.on("request", (request) => /^(?:file|data):/u.test(request.url()) || problems.push(request.url()))
    try {
      await page.goto(pathToFileURL(file).href)
      await test(page)
      assert.deepEqual(problems, [])
      assert.isUndefined(await page.evaluate(() => (globalThis as { pwned?: number }).pwned))
    } finally {
      await context.close()
    }
  }

  it("goes from a cell to the trial, and to the comparison of two nights", { timeout: 60_000 }, () =>
    visit(async (page) => {
      await page.getByRole("grid").focus()
      // the last cell, and the scenario above it, which failed
      await page.keyboard.press("Control+End")
      await page.keyboard.press("ArrowUp")
      await page.keyboard.press("Enter")
      await page
        .getByRole("heading", { name: /onerror/u })
        .first()
        .waitFor()
      await page.getByRole("link", { name: "Nights", exact: true }).click()
      await page.getByText("Compare two nights").click()
      await page.getByRole("link", { name: "Compare", exact: true }).click()
      await page.getByRole("heading", { name: "Two nights compared" }).waitFor()
      assert.include((await page.getByRole("region", { name: "Figures" }).textContent()) ?? "", "pass rate")
    })
  )

  it("shows a run with its requests, offers nothing that needs the command", { timeout: 60_000 }, () =>
    visit(async (page) => {
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await page.locator("tbody a").first().click()
      const scenarios = page.getByRole("region", { name: "Scenarios", exact: true })
      await scenarios.getByRole("link", { name: "shop › pays by card" }).click()
      await page.getByRole("heading", { name: "Requests, spans and journal" }).waitFor()
      await page.getByRole("link", { name: "Suites", exact: true }).click()
      await page.getByRole("heading", { name: "Suites" }).waitFor()
      await page.getByText("pays by card").first().waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^(?:Run|Stop|Quarantine|Acknowledge)/u }).count(), 0)
    })
  )
})
