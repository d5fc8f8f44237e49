import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert } from "vitest"
import { checkAccessibility } from "../screens/Console.ts"
import type { Journey } from "./Journey.ts"
import { confirm, goTo, toFirstRow, press, start, tabTo } from "./Keyboard.ts"

const run = promisify(execFile)

/** Everyday journeys. `npm test` runs them. */
export const basic: ReadonlyArray<Journey> = [
  {
    name: "starts a run and watches it to its result",
    uses: ["Start: start", "Run: live"],
    run: async ({ page }) => {
      await start(page, "Find a red mug [simulate duration=2s output=found]")
      await page.locator("[data-status=running]").first().waitFor()
      await page.locator("[data-status=completed]").first().waitFor()
      const result = page.getByRole("region", { name: "Result" })
      assert.include((await result.textContent()) ?? "", "found")
      await checkAccessibility(page, "a run of the server")
    }
  },
  {
    name: "cancels a run",
    uses: ["Run: cancel"],
    run: async ({ page }) => {
      await start(page, "Compare five hotels [simulate duration=60s]")
      await page.locator("[data-status=running]").first().waitFor()
      await press(page, "Cancel run")
      await page.locator("[data-status=cancelled]").first().waitFor()
      // it stays in its place, so that no other button moves there
      assert.isTrue(await page.getByRole("button", { name: "Cancel run" }).isDisabled())
    }
  },
  {
    name: "finds a failed run, its cause and what to do",
    uses: ["Runs: filters", "Runs: saved views", "Run: error with its cause"],
    run: async ({ page }) => {
      await start(page, "Buy a ticket [simulate outcome=failed]")
      await page.locator("[data-status=failed]").first().waitFor()
      await goTo(page, "r", "Runs")
      await press(page, "Failed")
      await page.waitForURL(/status=failed$/u)
      await page.getByRole("grid").getByText("Buy a ticket").waitFor()
      await page.locator("[role=row][aria-selected]").nth(1).waitFor({ state: "detached" })
      await tabTo(page, "Name of the view")
      await page.keyboard.type("Failed ones")
      await page.keyboard.press("Enter")
      await page.getByRole("link", { name: "Failed ones" }).waitFor()
      await toFirstRow(page)
      await page.keyboard.press("Enter")
      const reason = page.getByRole("region", { name: "Why it failed" })
      await reason.getByRole("heading").waitFor()
      assert.match((await reason.textContent()) ?? "", /This failure is simulated\..*outcome=failed/u)
    }
  },
  {
    name: "makes a key, and copies code that starts a run with it",
    uses: ["Keys: create", "Start: copy as code"],
    run: async ({ page }) => {
      await goTo(page, "k", "Keys")
      await press(page, "Create a key")
      // the form begins with its name
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "name")
      await page.keyboard.type("shop")
      await press(page, "Create the key")
      const secret =
        /wak_[\w-]+/u.exec(
          (await page
            .getByRole("dialog")
            .getByText(/wak_[\w-]+/u)
            .textContent()) ?? ""
        )?.[0] ?? ""
      await press(page, "I've copied it")
      await page.getByRole("link", { name: "shop" }).waitFor()
      await start(page, "Say 'hello' [simulate output=hello]")
      await page.locator("[data-status=completed]").first().waitFor()
      await press(page, "Copy as code")
      await page.getByRole("dialog").getByRole("region", { name: "Code for curl" }).waitFor()
      await press(page, "Copy")
      await page.getByText("Copied").waitFor()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      const { stdout } = await run("sh", ["-c", code], { env: { ...process.env, WEBAGENT_API_KEY: secret } })
      await page.keyboard.press("Escape")
      const { id } = JSON.parse(stdout) as { readonly id: string }
      await goTo(page, "r", "Runs")
      await page.getByRole("grid").getByText(id).waitFor()
      await page.getByRole("grid").getByText("shop").waitFor()
      assert.strictEqual(await page.getByRole("grid").getByText("Say 'hello'").count(), 2)
    }
  },
  {
    name: "queues a follow-up behind a running run, and removes it",
    uses: ["Run: follow-up", "Run: queue of follow-ups", "Runs: bulk cancel"],
    run: async ({ page }) => {
      await start(page, "Wait for it [simulate duration=60s]")
      await page.locator("[data-status=running]").first().waitFor()
      await tabTo(page, "Follow-up")
      await page.keyboard.type("Then this")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "1 follow-up in the queue" }).waitFor()
      await press(page, "Remove the follow-up")
      await page.getByText("Follow-up removed").waitFor()
      await page.getByRole("heading", { name: "1 follow-up in the queue" }).waitFor({ state: "detached" })
      await goTo(page, "r", "Runs")
      await confirm(page, "Cancel all open", "Cancel 1 open run")
      await page.getByText("1 run cancelled").waitFor()
      // the event of its end is on its way
      await page.locator("[role=row] [data-status=running]").waitFor({ state: "detached" })
      assert.isAtLeast(await page.locator("[role=row] [data-status=cancelled]").count(), 2)
    }
  },
  {
    name: "shares a run with a guest who has no key, until the link is revoked",
    uses: ["Run: share"],
    run: async ({ page, browser, problems }) => {
      // a new screen takes the focus, so that j begins with the list
      await goTo(page, "t", "Settings")
      await goTo(page, "r", "Runs")
      await page.getByRole("grid").getByText("Then this").waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/console\/runs\/[\w-]+$/u)
      await page.getByRole("button", { name: "Share" }).waitFor()
      await press(page, "Share")
      await press(page, "Create a link")
      const link = (await page.getByRole("dialog").getByRole("region", { name: "Link" }).textContent()) ?? ""
      const others = await browser.newContext()
      const guest = await others.newPage()
      guest.on("pageerror", ({ message }) => problems.push(message))
      await guest.goto(link)
      await guest.getByRole("heading", { level: 1, name: "Then this" }).waitFor()
      await checkAccessibility(guest, "a shared run of the server")
      const cookies = await others.cookies()
      assert.deepStrictEqual(cookies, [])
      await press(page, "Revoke the link")
      await page.getByRole("dialog").getByRole("button", { name: "Create a link" }).waitFor()
      await guest.reload()
      await guest.getByText("There is no such run").waitFor()
      await others.close()
      await page.keyboard.press("Escape")
    }
  }
]
