import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, looks, runId, useConsole, widths } from "./Console.ts"
import { row } from "./reading.ts"
import { useSimulation } from "./SimulatedConsole.ts"

const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return `${at?.tagName.toLowerCase() ?? ""} ${at?.textContent?.slice(0, 40) ?? ""}`
  })

const hasRowFocus = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("role") === "row")

describe("the keyboard", () => {
  const { visit } = useConsole()

  it("moves to a row with j after a filter was selected, and opens the row with Enter", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      await page.getByRole("button", { name: /^Failed/u }).focus()
      await page.keyboard.press("Enter")
      await page.waitForURL(/status=failed/u)
      await row(page, 0).getByText("Failed").waitFor()
      await page.keyboard.press("j")
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "row")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/u)
    }))

  it("leads to the heading of a screen, even while the screen is loading", () =>
    visit("/", async (page) => {
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor()
      assert.strictEqual(await focused(page), "h1 Runs")
      await row(page, 0).waitFor()
      await page.keyboard.press("j")
      assert.isTrue(await hasRowFocus(page))
      await page.keyboard.press("Enter")
      await page.waitForFunction(() => document.activeElement?.tagName === "H1")
      await page.keyboard.press("g")
      await page.keyboard.press("s")
      await page.getByLabel("Task", { exact: true }).fill("Find a flight")
      await page.keyboard.press("Control+Enter")
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/u)
      await page.waitForFunction(() => document.activeElement?.tagName === "H1")
      assert.match(await focused(page), /^h1 Find a flight/u)
    }))

  it("reaches Cancel run right after the heading, where a person starts", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.waitForFunction(() => document.activeElement?.tagName === "H1")
      await page.keyboard.press("Tab")
      assert.match(await focused(page), /^button Cancel run/u)
    }))

  it("stays on Cancel run after the run was cancelled, and the end of the run is announced", () =>
    visit(`/runs/${runId(0)}`, async (page) => {
      const stop = page.getByRole("button", { name: "Cancel run" })
      await stop.focus()
      await page.keyboard.press("Enter")
      await page.getByRole("status").getByText("Run cancelled").waitFor()
      assert.match(await focused(page), /^button Cancel run/u)
    }))
})

describe("a list", () => {
  const { visit } = useConsole()

  it("keeps its position after Back", () =>
    visit("/runs", async (page) => {
      await row(page, 0).waitFor()
      const grid = page.getByRole("grid", { name: "Runs" })
      await grid.evaluate((node) => node.scrollTo(0, 2600))
      await page.waitForTimeout(200)
      await page.getByRole("row").nth(12).getByRole("link").click()
      await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/u)
      await page.getByRole("heading", { level: 1 }).waitFor()
      await page.goBack()
      await grid.waitFor()
      await page.waitForFunction(() => document.querySelector("[role=grid]")?.scrollTop === 2600)
    }))

  it("explains an invalid filter at its field", () =>
    visit("/runs", async (page) => {
      await page.getByText("More filters").click()
      await page.getByLabel("Created since (date)").fill("yesterday")
      await page.getByRole("button", { name: "Apply" }).click()
      await page.getByRole("alert").getByText("Enter a date such as 2026-11-28").waitFor()
      assert.match(await focused(page), /^input/u)
    }))

  it("explains an invalid limit at its field", () =>
    visit("/keys", async (page) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      await page.getByLabel("Name", { exact: true }).fill("mine")
      await page.getByLabel("Concurrent runs").fill("many")
      await page.getByRole("button", { name: "Create the key" }).click()
      await page.getByRole("alert").getByText("Enter a whole number above 0").waitFor()
      assert.strictEqual(await page.getByLabel("Concurrent runs").getAttribute("aria-invalid"), "true")
    }))
})

describe("a server that stops responding", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`is reported with the time of the data, and durations stop counting, at ${look.width} px`, () =>
      visit(
        `/runs/${runId(0)}`,
        async (page, { behavior, cut }) => {
          await page.getByText("Live", { exact: true }).waitFor({ state: "attached" })
          behavior.isDown = true
          cut()
          const again = page.getByRole("button", { name: "Run again" })
          assert.isTrue(await again.isEnabled())
          const sentence =
            /^The server isn't responding, so buttons that need it are disabled\. Data is from \d\d:\d\d:\d\d\. Reconnecting…$/u
          await page.getByText(sentence).waitFor()
          assert.isTrue(await again.isDisabled())
          assert.isTrue(await page.getByRole("button", { name: "Cancel run" }).isDisabled())
          const took = () => page.locator("dt", { hasText: "Took" }).locator("xpath=../dd").first().textContent()
          const before = await took()
          await page.waitForTimeout(2500)
          assert.strictEqual(await took(), before)
          await checkAccessibility(page, "a server that is gone")
          await checkWidth(page, "a server that is gone")
          behavior.isDown = false
          await page.getByText(/^The server isn't responding/u).waitFor({ state: "detached" })
          assert.isTrue(await again.isEnabled())
        },
        look
      ))
  }

  it("keeps the task of a run that could not be started, and mentions that the run may have started", () =>
    visit("/start", async (page) => {
      await page.route("**/console/api/runs", (route) => route.abort("connectionrefused"))
      await page.getByLabel("Task", { exact: true }).fill("Find a flight")
      await page.getByRole("button", { name: "Start the run" }).click()
      await page
        .getByRole("alert")
        .getByText(/It may have started the run/u)
        .waitFor()
      await page.getByRole("link", { name: "Runs", exact: true }).click()
      await row(page, 0).waitFor()
      await page.getByRole("link", { name: "Start a run", exact: true }).click()
      assert.strictEqual(await page.getByLabel("Task", { exact: true }).inputValue(), "Find a flight")
    }))
})

describe("a first run", () => {
  const { visit } = useConsole()

  it("warns about a server without a model before a run is started", () =>
    visit("/", async (page, { behavior }) => {
      behavior.model = null
      await page.reload()
      await page.getByRole("link", { name: "Start a run", exact: true }).first().click()
      await page.getByRole("note").getByText("This server has no model").waitFor()
      await page
        .getByText("KEY npm run server -- serve --port 8080 --browsers chromium --model anthropic:NAME")
        .waitFor()
      await checkAccessibility(page, "a server without a model")
    }))

  it("shows a key without the scope admin its permissions, and never offers to create a key", () =>
    visit("/keys", async (page, { behavior }) => {
      behavior.isAdmin = false
      await page.reload()
      const own = page.getByRole("region", { name: "Your key" })
      await own.getByText("start, follow up and cancel runs").waitFor()
      await own.getByText("npm run server -- keys create --name me --scope admin").waitFor()
      await own.getByText("Open runs").waitFor()
      await checkAccessibility(page, "an own key")
      await page.getByRole("link", { name: "Start a run", exact: true }).click()
      await page.getByText("Use the key that you signed in with").waitFor()
      assert.strictEqual(await page.getByText("You can create one").count(), 0)
    }))

  it("finishes typing before it releases a browser", () =>
    visit(`/browsers/${runId(900_000)}`, async (page, { world }) => {
      await page.getByRole("button", { name: "Take control" }).click()
      await page.getByText("you; the agent is waiting").waitFor()
      await page.locator("[data-keys]").focus()
      await page.keyboard.type("typed text")
      await page.keyboard.press("Escape")
      await page.getByRole("button", { name: "Take control" }).waitFor()
      assert.strictEqual(world.typed.join(""), "typed text")
    }))

  it("shows the whole text of a long task, which is also in the tab's title", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("The run is missing")
      const task = `Compare ${"many different hotels and ".repeat(20)}trains`
      world.runs.set(run.id, { ...run, task, title: null })
      await page.reload()
      await page.getByRole("button", { name: "Show the whole task" }).click()
      await page
        .getByRole("heading", { level: 1 })
        .getByText(/and trains$/u)
        .waitFor()
      assert.match(await page.title(), /^Compare many different .* · webagent$/u)
    }))
})

describe("a long title", () => {
  const { visit } = useConsole()
  const short = "Compare the prices of five hotels near the Colosseum for three nights in May, breakfast included"
  const long = `${short}, and write down the address, the phone number and the distance to the main station of each`

  for (const [name, look, path, has] of [
    ["a run on a wide page", looks.light, `/runs/${runId(0)}`, false],
    ["a run on a phone", looks.phone, `/runs/${runId(0)}`, true],
    ["a shared run on a phone", looks.phone, `/share/${runId(0)}#token-1`, true]
  ] as const) {
    it(`${has ? "can be expanded" : "needs no button"} on ${name}`, () =>
      visit(
        path,
        async (page, { world }) => {
          const run = world.runs.get(runId(0))
          if (run === undefined) throw new Error("The run is missing")
          world.runs.set(run.id, { ...run, task: has ? long : short })
          world.share(run.id)
          await page.reload()
          const heading = page.getByRole("heading", { level: 1 })
          await heading.getByText(/^Compare/u).waitFor()
          const button = page.getByRole("button", { name: "Show the whole task" })
          if (!has) return assert.strictEqual(await button.count(), 0)
          await button.click()
          assert.isTrue(await heading.evaluate((node) => node.scrollHeight <= node.clientHeight))
          await checkAccessibility(page, name)
          await page.getByRole("button", { name: "Show less" }).click()
          return button.waitFor()
        },
        look
      ))
  }
})

describe("a first run of the simulated service", () => {
  const { visit } = useSimulation()

  it("mentions once that a failure is made up, and never blames the task", () =>
    visit("/start", async (page) => {
      await page.getByLabel("Task", { exact: true }).fill("Buy a mug [simulate outcome=failed duration=1s]")
      await page.keyboard.press("Control+Enter")
      const failure = page.getByRole("region", { name: "Why it failed" })
      await failure.getByRole("heading", { name: "This failure is simulated." }).waitFor()
      assert.strictEqual(
        await page.getByText("Made up: the task asks for this failure with outcome=failed.").count(),
        1
      )
      assert.strictEqual(await page.getByText(/gave up|unclear|three times/u).count(), 0)
    }))

  it("shows on the page of a shared run that it's simulated, and why it failed", () =>
    visit("/", async (page, { send }) => {
      const task = "Buy a mug [simulate outcome=failed duration=10ms]"
      const { id } = (await (await send("POST", "/api/v4/runs", { task })).json()) as { readonly id: string }
      const link = (await (await send("POST", `/console/api/runs/${id}/share`, {})).json()) as {
        readonly token: string
      }
      await page.goto(`${new URL("/console", page.url()).href}/share/${id}#${link.token}`)
      const failure = page.getByRole("region", { name: "Why it failed" })
      await failure.getByRole("heading", { name: "This failure is simulated." }).waitFor()
      await failure.getByText("Made up: the task asks for this failure with outcome=failed.").waitFor()
      await page.getByText("the steps, the result and the cost are made up").waitFor()
      assert.strictEqual(await page.getByText(/gave up/u).count(), 0)
    }))

  it("shows open runs and browsers on their node, as they change", () =>
    visit("/nodes", async (page, { send }) => {
      const row = page.getByRole("region", { name: "Nodes" }).locator("tbody tr")
      await row.locator("td[data-name=Sessions]").getByText("0", { exact: true }).waitFor()
      await send("POST", "/api/v4/runs", { task: "Find a mug [simulate duration=1h]" })
      await send("POST", "/api/v4/browsers", {})
      await row.locator("td[data-name=Sessions]").getByText("1", { exact: true }).waitFor()
      await row.locator("td[data-name=Browsers]").getByText("1", { exact: true }).waitFor()
    }))

  it("explains why a run from before the service's restart is gone", () =>
    visit("/runs/00000000-0000-4000-8000-000000000000", async (page) => {
      await page.getByText("keeps runs in memory only, so it forgets them when it restarts").waitFor()
    }))

  it("explains why no browser is on the wall while a run is running", () =>
    visit("/wall", async (page, { send }) => {
      await send("POST", "/api/v4/runs", { task: "Find a mug [simulate duration=60s]" })
      await page.getByText("Simulated runs open no browser").waitFor()
      assert.strictEqual(await page.getByRole("main").getByRole("link", { name: "Start a run" }).count(), 0)
      await send("POST", "/api/v4/browsers", {})
      await page.getByRole("main").getByRole("listitem").first().waitFor()
    }))

  it("reports a run of curl whose result was never read, and counts no failed check", () =>
    visit("/simulation/checks", async (page, { send }) => {
      await send("POST", "/api/v4/runs", { task: "Find a mug [simulate duration=10ms]" })
      await page.locator("[data-status=note]").waitFor()
      await page.getByText(/no request has read its result since\. Read the run or its session\./u).waitFor()
      await page.getByRole("heading", { name: "No checks failed" }).waitFor()
      await page.getByRole("link", { name: "Checks 0 failed" }).waitFor()
    }))

  it("prints commands that work in a clone, with this server's address", () =>
    visit("/settings", async (page) => {
      const { origin } = new URL(page.url())
      await page.getByText(`npm run server -- webhooks create https://app.example/hook --server ${origin}`).waitFor()
    }))

  it("shares and marks a run of a template, whose result fits its task", () =>
    visit("/start", async (page) => {
      await page.getByRole("button", { name: "A task that succeeds" }).click()
      await page.keyboard.press("Control+Enter")
      await page.getByRole("status").getByText("Run completed").waitFor()
      await page
        .getByText(/The cheapest direct flight costs/u)
        .first()
        .waitFor()
      await page.getByText("Judge: the result is right").waitFor()
      await page.getByRole("button", { name: "Right", exact: true }).click()
      await page.getByRole("button", { name: "Share", exact: true }).click()
      await page.getByRole("dialog").getByRole("button").first().waitFor()
      await page.keyboard.press("Escape")
      await page.goto(page.url().replace(/\/runs\/.*/u, "/events/audit"))
      await page.getByText("marks.set").waitFor()
    }))
})
