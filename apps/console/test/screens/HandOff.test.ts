import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, looks, runId, useConsole } from "./Console.ts"

describe("a run that waits for a person", () => {
  const { visit } = useConsole()

  it("is in the inbox of the overview, and is answered with the keyboard", () =>
    visit("/", async (page, { world }) => {
      world.ask(runId(0))
      const inbox = page.getByRole("list", { name: "Questions from runs" })
      const line = inbox.getByRole("link", { name: /Which flight should I book\?/u })
      await line.waitFor()
      await checkAccessibility(page, "a waiting run")
      await line.focus()
      await page.keyboard.press("Enter")
      const question = page.getByRole("region", { name: "Question to a person" })
      await question.getByRole("heading", { name: "This run asks a person" }).waitFor()
      await checkAccessibility(page, "a waiting run")
      await question.getByLabel("Answer").focus()
      await page.keyboard.type("The second one")
      await page.keyboard.press("Enter")
      await question.waitFor({ state: "detached" })
      assert.deepStrictEqual(world.answers, ["The second one"])
    }))

  it("offers its choices as buttons, also on a phone", () =>
    visit(
      `/runs/${runId(0)}`,
      async (page, { world }) => {
        world.ask(runId(0), { choices: ["Approve", "Refuse"], reason: "approval", whenUnanswered: "continue" })
        await page.getByText(/the action is refused, and the run continues/u).waitFor()
        const choice = page.getByRole("button", { name: "Refuse" })
        await choice.waitFor()
        await checkWidth(page, "a waiting run")
        await choice.focus()
        await page.keyboard.press("Enter")
        await choice.waitFor({ state: "detached" })
        assert.deepStrictEqual(world.answers, ["Refuse"])
      },
      looks.phone
    ))

  it("shows who has control of its browser", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("There is no run")
      const { browserId } = world.details(run)
      assert.isNotNull(browserId)
      const driver = page.locator("dd").getByText("ann; the agent waits")
      await page.getByRole("heading", { level: 1 }).waitFor()
      world.tell("control", { browserId, driver: "ann", until: "2026-11-28T09:00:00.000Z" })
      await driver.waitFor()
      await checkAccessibility(page, "a run whose browser a person drives")
      world.tell("control", { browserId, driver: null, until: null })
      await driver.waitFor({ state: "detached" })
    }))

  it("shows its place in the queue for a browser", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      const run = world.runs.get(runId(0))
      if (run === undefined) throw new Error("There is no run")
      world.put({
        ...run,
        status: "dispatching",
        browserQueue: { position: 3, reason: "key", since: run.createdAt, until: null }
      })
      await page.getByText("Number 3 in the queue for a browser: its API key has reached its browser limit").waitFor()
    }))
})
