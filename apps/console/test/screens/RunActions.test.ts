import { assert, describe, it } from "vitest"
import { checkAccessibility, looks, runId, useConsole } from "./Console.ts"

describe("a run", () => {
  const { visit } = useConsole()

  it("is started from the form, watched while it runs, and stopped", () =>
    visit("/start", async (page, { world }) => {
      await page.getByLabel("Task").fill("Find a red mug")
      assert.include(await page.getByRole("region", { name: "Code for curl" }).textContent(), "Find a red mug")
      await page.keyboard.press("Control+Enter")
      await page.waitForURL(/\/runs\/.*700001$/u)
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
      const stop = page.getByRole("button", { name: "Cancel run" })
      await stop.click()
      await page.locator("[data-status=cancelled]").first().waitFor()
      // no other button moves to its place
      assert.isTrue(await stop.isDisabled())
    }))

  it("that is stopped shows its cost once its agent has reported it, which no event announces", () =>
    visit("/", async (page, { address, world }) => {
      const run = world.start("Find a mug")
      world.put({ ...run, totalCostUsd: null })
      await page.goto(`${address}/console/runs/${run.id}`)
      await page.getByRole("button", { name: "Cancel run" }).click()
      await page.locator("[data-status=cancelled]").first().waitFor()
      const stopped = world.runs.get(run.id)
      if (stopped === undefined) throw new Error("The run is gone")
      world.runs.set(run.id, { ...stopped, totalCostUsd: "0.0770" })
      await page.getByText("$0.0770").waitFor()
    }))

  it("keeps its buttons in place on a phone when it's over", () =>
    visit(
      `/runs/${runId(0)}`,
      async (page, { world }) => {
        const share = page.getByRole("button", { name: "Share" })
        const place = async () => {
          const { x = 0, y = 0 } = (await share.boundingBox()) ?? {}
          return { x, y }
        }
        await share.waitFor()
        const before = await place()
        world.cancel(runId(0))
        await page.locator("[data-status=cancelled]").first().waitFor()
        assert.deepStrictEqual(await place(), before)
      },
      looks.phone
    ))

  it("gets the typed task as soon as the form opens", () =>
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
      await page.waitForURL(/\/runs$/u)
      // its script is here now
      await page.keyboard.press("g")
      await page.keyboard.press("s")
      await task.waitFor()
      await page.keyboard.type("Find gifts")
      assert.strictEqual(await task.inputValue(), "Find gifts")
    }))

  it("refuses an empty task and an invalid schema, next to the field", () =>
    visit("/start", async (page) => {
      const button = page.getByRole("button", { name: "Start the run" })
      const before = await button.boundingBox()
      await button.click()
      await page.getByText("Describe the task.").waitFor()
      assert.deepStrictEqual(await button.boundingBox(), before)
      await page.getByLabel("Task").fill("x")
      await page.getByText("Options", { exact: true }).click()
      await page.getByLabel("Output schema").fill("{")
      await page.getByText("This isn't JSON").waitFor()
      await checkAccessibility(page, "the form with an error")
    }))

  it("goes to the first invalid field, even if it's out of view or its options are closed", () =>
    visit("/start", async (page) => {
      const isInView = (label: string) =>
        page.waitForFunction((name) => {
          const { activeElement: field } = document
          if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return false
          const { bottom, top } = field.getBoundingClientRect()
          return field.labels?.[0]?.textContent === name && top >= 0 && bottom < innerHeight - 80
        }, label)
      const options = page.getByText("Options", { exact: true })
      await page.getByLabel("Task").fill("x")
      await options.click()
      await page.getByLabel("Output schema").fill("{")
      await options.click()
      await page.getByLabel("Output schema").waitFor({ state: "hidden" })
      await page.getByRole("button", { name: "Start the run" }).click()
      await isInView("Output schema")
      // the options stay open while their last field is emptied
      await page.keyboard.press("Backspace")
      await page.getByText("This isn't JSON").waitFor({ state: "detached" })
      assert.isTrue(await page.getByLabel("Output schema").isVisible())
      await page.getByLabel("Output schema").fill("{")
      await page.getByLabel("Task").fill("")
      await page.getByRole("button", { name: "Start the run" }).click()
      await isInView("Task")
    }))

  it("explains its failure, and shows a step's details with the keyboard", () =>
    visit(`/runs/${runId(3)}`, async (page) => {
      await page.getByText("The model didn't respond, or refused.").waitFor()
      await page.getByText("--fallback-model").waitFor()
      await page.keyboard.press("k")
      await page.waitForFunction(() => document.querySelector('[aria-current="step"]')?.textContent?.startsWith("8"))
      await page.getByText("Model calls of step 8").waitFor()
      await page.locator("dd").getByText("2,000 in, 180 out").waitFor()
      await page.getByText("Prompts and responses aren't stored").waitFor()
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

  it("accepts a follow-up", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      await page.getByLabel("Follow-up").fill("Now the same for June")
      await page.getByRole("button", { name: "Follow up" }).click()
      await page.waitForURL(/700001$/u)
      await page.getByRole("heading", { name: "Now the same for June" }).waitFor()
    }))

  it("gets a person's verdict, which can be removed", () =>
    visit(`/runs/${runId(2)}`, async (page, { world }) => {
      await page.getByLabel("Note").fill("Another airline was cheaper")
      await page.getByRole("button", { name: "Wrong" }).click()
      await page.getByText("Another airline was cheaper").waitFor()
      assert.strictEqual(world.marks.get(runId(2))?.verdict, "wrong")
      await checkAccessibility(page, "a run with a verdict")
      await page.getByRole("button", { name: "Remove the verdict" }).click()
      await page.getByRole("button", { name: "Right" }).waitFor()
      assert.isUndefined(world.marks.get(runId(2)))
    }))

  it("is loaded again when it finishes, so that its result is shown", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      await page.getByText("Waiting").or(page.locator("li button").first()).first().waitFor()
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("The run is missing")
      world.put({ ...run, status: "completed", result: "Norwegian, 89 EUR", finishedAt: new Date().toISOString() })
      await page.getByText("Norwegian, 89 EUR").waitFor()
    }))
})
