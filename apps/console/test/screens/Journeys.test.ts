import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import type { Page } from "playwright-core"
import { checkAccessibility, looks, runId, useConsole } from "./Console.ts"

const pathOf = (page: Page) => new URL(page.url()).pathname.replace(/^\/console/u, "") + new URL(page.url()).search

/** Waits until the page has an address. */
const at = (page: Page, pattern: RegExp) => page.waitForURL(pattern)

const heading = (page: Page) => page.locator("h1").textContent()

const row = (page: Page, index: number) => page.locator(`[role=row][aria-rowindex="${index + 2}"]`)

describe("the list of runs", () => {
  const { visit } = useConsole()

  it("has its filters in the address, and Back undoes one", () =>
    visit("/", async (page) => {
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await row(page, 0).waitFor()
      await page.getByRole("button", { name: /^Failed/u }).click()
      await at(page, /\/runs\?status=failed$/u)
      await page.getByRole("searchbox").fill("oslo")
      await at(page, /\/runs\?status=failed&search=oslo$/u)
      await page.waitForFunction(() => document.querySelectorAll("[role=row][aria-selected]").length > 2)
      const statuses = await page.locator("[role=row] [data-status]").allTextContents()
      assert.deepStrictEqual([...new Set(statuses)], ["Failed"])
      // typing replaces the entry of the address before, so Back leaves the search and the status at once
      await page.goBack()
      await at(page, /\/runs$/u)
      assert.strictEqual(await page.getByRole("searchbox").inputValue(), "")
      await page.goBack()
      assert.strictEqual(await heading(page), "Overview")
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

  it("is used with the keyboard alone: move, select, open, come back", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      assert.strictEqual(await row(page, 1).getAttribute("aria-selected"), "true")
      await page.keyboard.press("Enter")
      await at(page, /\/runs\/00000000/u)
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      await at(page, /\/runs$/u)
      await page.keyboard.press("/")
      assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search")
      // letters are text while one types
      await page.keyboard.type("gojk?")
      assert.strictEqual(await page.getByRole("searchbox").inputValue(), "gojk?")
    }))

  it("cancels the selected runs after a confirmation, and says how many", () =>
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

  it("has the runs that began and ended while another screen was open", () =>
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

  it("exports what the filters let through", () =>
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

describe("a run", () => {
  const { visit } = useConsole()

  it("is started from the form, watched while it runs, and stopped", () =>
    visit("/start", async (page, { world }) => {
      await page.getByLabel("Task").fill("Find a red mug")
      assert.include(await page.getByRole("region", { name: "Code for curl" }).textContent(), "Find a red mug")
      await page.keyboard.press("Control+Enter")
      await at(page, /\/runs\/.*700001$/u)
      await page.getByRole("heading", { name: "Find a red mug" }).waitFor()
      const id = runId(700_001)
      const run = world.runs.get(id)
      if (run === undefined) throw new Error("The run was not started")
      const [step] = world.stepsOf({ ...run, steps: 1 })
      world.tell("step", { ...step, summary: "Open the shop", durationMs: null, failure: null })
      await page.getByText("Open the shop").waitFor()
      world.put({ ...run, steps: 1, totalCostUsd: "0.4200" })
      await page.getByText("$0.4200").first().waitFor()
      await page.getByRole("link", { name: "Watch its browser" }).waitFor()
      await page.getByRole("button", { name: "Stop", exact: true }).click()
      await page.locator("[data-status=cancelled]").first().waitFor()
    }))

  it("takes the task that is typed as soon as the form opens", () =>
    visit("/", async (page) => {
      await page.keyboard.press("g")
      await page.keyboard.press("s")
      const task = page.getByLabel("Task")
      await task.waitFor()
      await page.keyboard.type("Find gifts")
      assert.strictEqual(await task.inputValue(), "Find gifts")
      // Esc leaves the field, so that letters lead elsewhere again
      await page.keyboard.press("Escape")
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      await at(page, /\/runs$/u)
      // its script is here now
      await page.keyboard.press("g")
      await page.keyboard.press("s")
      await task.waitFor()
      await page.keyboard.type("Find gifts")
      assert.strictEqual(await task.inputValue(), "Find gifts")
    }))

  it("refuses an empty task and a schema that is none, next to the field", () =>
    visit("/start", async (page) => {
      await page.getByRole("button", { name: "Start the run" }).click()
      await page.getByText("Write what the agent should do.").waitFor()
      await page.getByLabel("Task").fill("x")
      await page.getByText("Options", { exact: true }).click()
      await page.getByLabel("Schema of the result").fill("{")
      await page.getByText("This isn't JSON").waitFor()
      await checkAccessibility(page, "the form with an error")
    }))

  it("explains its failure, and shows a step's facts with the keyboard", () =>
    visit(`/runs/${runId(3)}`, async (page) => {
      await page.getByText("The model didn't respond, or refused.").waitFor()
      await page.getByText("--fallback-model").waitFor()
      await page.keyboard.press("k")
      await page.waitForFunction(() => document.querySelector('[aria-current="step"]')?.textContent?.startsWith("8"))
      await page.getByText("Model calls of step 8").waitFor()
    }))

  it("copies code that starts the same run", () =>
    visit(`/runs/${runId(0)}`, async (page, { address }) => {
      await page.getByRole("button", { name: "Copy as code" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).first().click()
      await page.getByText("Copied").waitFor()
      // the tabs stay under the pointer
      const placeOf = async (name: string) => (await page.getByRole("tab", { name }).boundingBox()) ?? assert.fail(name)
      const before = await placeOf("curl")
      for (const name of ["MCP", "Scenario", "fetch"]) {
        await page.getByRole("tab", { name }).click()
        assert.deepStrictEqual(await placeOf("curl"), before)
      }
      await page.getByText("WEBAGENT_API_KEY").last().waitFor()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      assert.include(copied, `curl '${address}/api/v4/runs'`)
      assert.include(copied, "Find the cheapest direct flight")
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }))

  it("takes a follow-up", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      await page.getByLabel("Follow-up").fill("Now the same for June")
      await page.getByRole("button", { name: "Follow up" }).click()
      await at(page, /700001$/u)
      await page.getByRole("heading", { name: "Now the same for June" }).waitFor()
    }))

  it("gets the verdict of a person, who can take it back", () =>
    visit(`/runs/${runId(2)}`, async (page, { world }) => {
      await page.getByLabel("Note").fill("Another airline was cheaper")
      await page.getByRole("button", { name: "Wrong" }).click()
      await page.getByText("Another airline was cheaper").waitFor()
      assert.strictEqual(world.marks.get(runId(2))?.verdict, "wrong")
      await checkAccessibility(page, "a run with a verdict")
      await page.getByRole("button", { name: "Take it back" }).click()
      await page.getByRole("button", { name: "Right" }).waitFor()
      assert.isUndefined(world.marks.get(runId(2)))
    }))

  it("is read again when it finishes, so that its result is there", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      await page.getByText("Waiting").or(page.locator("li button").first()).first().waitFor()
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("The run is missing")
      world.put({ ...run, status: "completed", result: "Norwegian, 89 EUR", finishedAt: new Date().toISOString() })
      await page.getByText("Norwegian, 89 EUR").waitFor()
    }))
})

describe("keys", () => {
  const { visit } = useConsole()

  it("take the name that is typed as soon as the form opens, and say which names fit", () =>
    visit("/keys", async (page) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      const name = page.getByRole("dialog").getByRole("textbox", { name: "Name" })
      await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]") !== null)
      await page.keyboard.type("my shop")
      assert.strictEqual(await name.inputValue(), "my shop")
      assert.match((await name.getAttribute("title")) ?? "", /^Letters, digits/u)
    }))

  it("are created with limits, and their secret is shown once", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("blog")
      await dialog.getByLabel("Runs at once").fill("many")
      await dialog.getByRole("button", { name: "Create the key" }).click()
      await dialog.getByText("A limit is a number above 0").waitFor()
      await dialog.getByLabel("Runs at once").fill("3")
      await dialog.getByRole("button", { name: "Create the key" }).click()
      await dialog.getByText("wak_newsecret0123456789").waitFor()
      await dialog.getByRole("button", { name: "I have copied it" }).click()
      await page.getByRole("link", { name: "blog" }).waitFor()
      assert.deepInclude(world.keys.at(-1)?.limits, { runs: 3, browsers: null })
      assert.deepStrictEqual(world.keys.at(-1)?.scopes, ["read", "runs", "browsers"])
      assert.notInclude((await page.locator("body").textContent()) ?? "", "wak_newsecret0123456789")
    }))

  it("are revoked and rotated after a confirmation", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Rotate support" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Rotate support" }).click()
      await page.getByText("wak_newsecret0123456789").waitFor()
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Revoke support" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Revoke support" }).click()
      await page.getByText("The key support is revoked").waitFor()
      assert.isNotNull(world.keys.find(({ name }) => name === "support")?.revokedAt ?? null)
    }))

  it("get other limits", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Limits of research" }).click()
      await page.getByLabel("USD per day").fill("2.5")
      await page.getByRole("button", { name: "Set the limits" }).click()
      await page.getByText("$0.8400 of $2.50").waitFor()
      assert.strictEqual(world.keys.find(({ name }) => name === "research")?.limits.usdPerDay, 2.5)
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

describe("the connection", () => {
  const { visit } = useConsole()

  it("catches up after a cut, and says that it was lost", () =>
    visit("/runs", async (page, { cut, world }) => {
      await page.getByText("Live", { exact: true }).waitFor()
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("The run is missing")
      cut()
      await page.getByText("Offline").waitFor()
      world.put({ ...run, status: "failed", failure: "browser_lost", error: "The browser is gone" })
      await page.getByText("Live", { exact: true }).waitFor()
      await row(page, 0).getByText("Failed").waitFor()
    }))

  it("is right again after a minute of sleep, in which it got nothing", () =>
    visit("/runs", async (page, { behavior, world }) => {
      await page.clock.install()
      await page.reload()
      await row(page, 0).waitFor()
      await page.getByText("Live", { exact: true }).waitFor()
      behavior.isSilent = true
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("The run is missing")
      world.put({ ...run, status: "failed", failure: "browser_lost", error: "The browser is gone" })
      world.start("Began during the sleep")
      await page.waitForTimeout(300)
      assert.strictEqual(await row(page, 0).getByText("Failed").count(), 0)
      behavior.isSilent = false
      // the page wakes: its timers are late by a minute
      await page.clock.fastForward("01:00")
      await page.clock.runFor(5000)
      await row(page, 0).getByText("Failed").waitFor()
      await page.getByRole("button", { name: "Show 1 new" }).waitFor()
      await page.getByText("Live", { exact: true }).waitFor()
    }))

  it("reads everything again when events are missing", () =>
    visit("/runs", async (page, { world }) => {
      await page.getByText("Live", { exact: true }).waitFor()
      const run = world.runs.get(runId(1))
      if (run === undefined) throw new Error("The run is missing")
      // without an event, as after a night of sleep
      world.runs.set(run.id, { ...run, status: "completed" })
      world.tell("reset", {})
      await row(page, 1).getByText("Completed").waitFor()
    }))

  it("shows an error with a retry while the server is down", () =>
    visit("/runs", async (page, { behavior }) => {
      await row(page, 0).waitFor()
      behavior.isDown = true
      await page.getByRole("button", { name: /^Failed/u }).click()
      const retry = page.getByRole("button", { name: "Try again" })
      await retry.waitFor()
      await checkAccessibility(page, "an error")
      behavior.isDown = false
      await retry.click()
      await row(page, 0).getByText("Failed").waitFor()
    }))

  it("reads a screen that failed again when the connection is back", () =>
    visit("/runs", async (page, { behavior, cut }) => {
      await row(page, 0).waitFor()
      await page.getByText("Live", { exact: true }).waitFor()
      behavior.isDown = true
      cut()
      await page.getByText("Offline").waitFor()
      const side = await page.getByRole("navigation").boundingBox()
      const themes = await page.getByRole("group", { name: "Theme" }).boundingBox()
      assert.isAtMost((themes?.x ?? 0) + (themes?.width ?? 0), (side?.x ?? 0) + (side?.width ?? 0))
      await page.getByRole("button", { name: /^Failed/u }).click()
      await page.getByRole("button", { name: "Try again" }).waitFor()
      behavior.isDown = false
      await row(page, 0).getByText("Failed").waitFor()
    }))

  it("loads the page again for a screen whose files it couldn't get", () =>
    visit("/", async (page, { behavior }) => {
      behavior.isDown = true
      await page.getByRole("link", { name: "Keys" }).click()
      await page.getByText("This screen could not be loaded").waitFor()
      behavior.isDown = false
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("link", { name: "research" }).waitFor()
    }))
})

describe("the frame", () => {
  const { visit } = useConsole()

  it("finds screens and actions in the palette", () =>
    visit("/", async (page) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("option").first().waitFor()
      await page.keyboard.type("failed")
      await page.keyboard.press("Enter")
      await at(page, /\/runs\?status=failed$/u)
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }))

  it("keeps the chosen theme", () =>
    visit("/", async (page) => {
      const canvas = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const light = await canvas()
      await page.getByRole("button", { name: "Dark theme" }).click()
      const dark = await canvas()
      assert.notStrictEqual(dark, light)
      await page.reload()
      await page.waitForSelector("h1")
      assert.strictEqual(await canvas(), dark)
    }))

  it("moves the focus to the new screen, and its title says where one is", () =>
    visit("/", async (page) => {
      await page.getByRole("link", { name: "Keys" }).click()
      await page.waitForFunction(() => document.activeElement?.id === "main")
      assert.strictEqual(await page.title(), "Keys · webagent")
    }))

  it("turns letters off as shortcuts", () =>
    visit("/", async (page) => {
      await page.keyboard.press("?")
      await page.getByLabel("Use single letters as shortcuts").uncheck()
      await page.keyboard.press("Escape")
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      assert.strictEqual(pathOf(page), "/")
    }))

  it("works on a phone, whose menu shows every screen and closes when one is opened", () =>
    visit(
      "/",
      async (page) => {
        const links = page.getByRole("navigation").getByRole("link")
        assert.strictEqual(await links.count(), 0)
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("link", { name: "Settings" }).waitFor()
        for (const link of await links.all()) {
          const { width, x } = (await link.boundingBox()) ?? assert.fail("A link has no place")
          assert.isAtMost(x + width, looks.phone.width)
        }
        await checkAccessibility(page, "the menu of a phone")
        await page.getByRole("link", { name: "Runs", exact: true }).click()
        await row(page, 3).waitFor()
        assert.strictEqual(await links.count(), 0)
        await row(page, 3).getByRole("link").click()
        await page.getByText("The model didn't respond, or refused.").waitFor()
      },
      looks.phone
    ))
})

describe("the sign-in", () => {
  const { visit } = useConsole()

  it("takes a key, and comes back when the session ends", () =>
    visit("/keys", async (page, { behavior }) => {
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("API key").fill("wak_wrong")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByText("Invalid API key.").waitFor()
      await checkAccessibility(page, "the sign-in with an error")
      await page.getByLabel("API key").fill("wak_test")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("link", { name: "research" }).waitFor()
      // the address is the one from before
      assert.strictEqual(pathOf(page), "/keys")
      assert.deepStrictEqual(
        await page.evaluate(() => Object.values(localStorage).filter((text) => text.includes("wak_"))),
        []
      )
      behavior.signedIn = false
      await page.getByRole("link", { name: "Overview" }).click()
      await page.getByLabel("API key").waitFor()
    }))

  it("comes back after a restart that ended the session", () =>
    visit("/settings", async (page, { behavior, cut }) => {
      await page.getByText("Live", { exact: true }).waitFor()
      behavior.signedIn = false
      cut()
      await page.getByLabel("API key").waitFor()
    }))

  it("comes back when a change finds the session over", () =>
    visit("/start", async (page, { behavior }) => {
      await page.getByLabel("Task").fill("Find a red mug")
      behavior.signedIn = false
      await page.getByRole("button", { name: "Start the run" }).click()
      await page.getByLabel("API key").waitFor()
    }))

  it("offers no change of keys to a key without the scope admin", () =>
    visit("/", async (page, { behavior }) => {
      behavior.isAdmin = false
      await page.goto(page.url().replace(/\/?$/u, "/keys"))
      await page.getByText("Sign in with a key that has the scope admin to create or change keys.").waitFor()
      await page.getByRole("link", { name: "research" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^(?:Create|Limits|Rotate|Revoke)/u }).count(), 0)
    }))

  it("hides the screens that a key without the scope admin may not use", () =>
    visit("/", async (page, { behavior }) => {
      const links = () => page.getByRole("navigation").first().getByRole("link").allTextContents()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.getByRole("link", { name: "Nodes", exact: true }).first().waitFor()
      const all = await links()
      behavior.isAdmin = false
      await page.reload()
      await page.getByRole("link", { name: "Nodes", exact: true }).waitFor({ state: "detached" })
      assert.deepStrictEqual(
        await links(),
        all.filter((text) => !/Nodes|Settings/u.test(text))
      )
      await page.goto(page.url().replace(/\/?$/u, "/nodes"))
      await page.getByText("your key may not see it").waitFor()
    }))
})
