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
      const question = page.getByRole("region", { name: "Question for a person" })
      await question.getByRole("heading", { name: "This run has a question" }).waitFor()
      await checkAccessibility(page, "a waiting run")
      await question.getByLabel("Answer").focus()
      await page.keyboard.type("The second one")
      await page.keyboard.press("Enter")
      await question.waitFor({ state: "detached" })
      assert.deepStrictEqual(world.answers, ["The second one"])
    }))

  it("offers its choices as buttons, even on a phone", () =>
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
      const driver = page.locator("dd").getByText("ann; the agent is waiting")
      await page.getByRole("heading", { level: 1 }).waitFor()
      world.drive(browserId ?? "", "ann")
      await driver.waitFor()
      await checkAccessibility(page, "a run whose browser a person drives")
      world.drive(browserId ?? "", null)
      await driver.waitFor({ state: "detached" })
    }))

  it("shows its browser and who has control of it before its first step", () =>
    visit("/", async (page, { address, world }) => {
      const run = world.start("Find a mug")
      await page.goto(`${address}/console/runs/${run.id}`)
      await page.getByText("Waiting for the first step…").waitFor()
      const id = runId(900_001)
      const browser = world.browsers.get(id)
      if (browser === undefined) throw new Error("There is no browser")
      world.browsers.set(id, { ...browser, runId: run.id })
      world.drive(id, "ann")
      await page.locator("dd").getByText("ann; the agent is waiting").waitFor()
      assert.strictEqual(
        await page.getByRole("link", { name: "Watch its browser" }).getAttribute("href"),
        `/console/browsers/${id}`
      )
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
