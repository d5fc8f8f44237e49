import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { checkAccessibility, checkWidth, looks } from "./Console.ts"
import { useSimulation } from "./SimulatedConsole.ts"

const canary = "canary-hunter2"

/** Fills in a run with a secret, a limit and a time zone. */
const fillIn = async (page: Page) => {
  await page.getByLabel("Task").fill("Sign in as <secret:pin> [simulate duration=2s cost=1 outcome=completed]")
  await page.getByText("Options", { exact: true }).click()
  await page.getByLabel("Cost limit (USD)").fill("0.5")
  await page.getByLabel("Wait for a person at the cost limit").check()
  await page.getByLabel("Tags").fill("nightly")
  await page.getByLabel("Time zone").fill("Europe/Berlin")
  const add = page.getByRole("button", { name: "Add a secret" })
  await add.focus()
  await page.keyboard.press("Enter")
  const secret = page.getByRole("group", { name: "Secret 1" })
  await secret.getByLabel("Name").fill("pin")
  await secret.getByLabel("Value").fill(canary)
  await secret.getByLabel("Sites").fill("shop.example")
  assert.strictEqual(await secret.getByLabel("Value").getAttribute("type"), "password")
}

describe("a run's options", () => {
  const { visit } = useSimulation()

  it("start a run whose secret is shown nowhere, and whose limit a person raises with the keyboard", () =>
    visit("/start", async (page, { send }) => {
      await fillIn(page)
      await checkAccessibility(page, "a run with options")
      await page.getByLabel("Name of the template").fill("Mine")
      await page.getByRole("button", { name: "Save as template" }).click()
      const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }))
      assert.include(kept, "Europe/Berlin")
      const code = await page
        .getByRole("region", { name: "The same run as code" })
        .or(page.locator("main"))
        .first()
        .innerText()
      for (const text of [kept, code]) assert.notInclude(text, canary)
      await page.getByLabel("Task").press("Control+Enter")
      const question = page.getByRole("region", { name: "Question for a person" })
      await question.getByRole("heading", { name: "This run has reached its cost limit" }).waitFor()
      await page.getByText("on shop.example").waitFor()
      await page.getByText("$0.5000, then waits for a person").waitFor()
      await checkAccessibility(page, "a run at its cost limit")
      await question.getByLabel("New limit (USD)").fill("much")
      await page.keyboard.press("Enter")
      await question.getByText("Enter an amount in USD, such as 1.50.").waitFor()
      await question.getByLabel("New limit (USD)").fill("2")
      await page.keyboard.press("Enter")
      await question.waitFor({ state: "detached" })
      const id = /[^/]+$/u.exec(page.url())?.[0] ?? ""
      const read = await (await send("GET", `/admin/v1/runs/${id}`)).text()
      assert.include(read, '"costUsd":"2"')
      assert.include(read, '"secretBindings":[{"alias":"pin"')
      assert.notInclude(read, canary)
      assert.notInclude(await page.content(), canary)
    }))

  it("that the server refuses show its reason at their field, or next to the button", () =>
    visit("/start", async (page, { send }) => {
      await page.getByText(/^Describe a task.*This service is simulated/u).waitFor()
      await page.getByLabel("Task").fill("x [simulate duration=1s]")
      await page.getByText("Options", { exact: true }).click()
      const schema = page.getByLabel("Output schema")
      await schema.fill('{ "properties": { "price": { "type": "money" } } }')
      const start = page.getByRole("button", { name: "Start the run" })
      await start.click()
      await page.getByText(/^This isn't a JSON Schema: properties\.price\.type has to be/u).waitFor()
      await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true")
      await checkAccessibility(page, "a refused schema")
      // a change of the form may cure it
      await schema.fill("")
      await page.getByText("This isn't a JSON Schema").waitFor({ state: "detached" })
      await page.getByRole("button", { name: "Add a secret" }).click()
      const secret = page.getByRole("group", { name: "Secret 1" })
      await secret.getByLabel("Name").fill("pin")
      await secret.getByLabel("Value").fill(canary)
      await secret.getByLabel("Sites").fill("https://shop.example/sign-in")
      await start.click()
      const alert = page.getByRole("alert").filter({ hasText: "secretBindings: Expected at most 20" })
      await alert.waitFor()
      const { y = Infinity } = (await alert.boundingBox()) ?? {}
      assert.isBelow(y, page.viewportSize()?.height ?? 0)
      await page.getByRole("button", { name: "Remove secret 1" }).click()
      await start.click()
      await page.waitForURL(/\/runs\//u)
      await page.getByText("the steps, the result and the cost are made up").waitFor()
      const { rows } = (await (await send("GET", "/admin/v1/runs")).json()) as { rows: ReadonlyArray<unknown> }
      assert.lengthOf(rows, 1)
    }))

  it("fit a phone in dark mode, and name the invalid secret", () =>
    visit(
      "/start",
      async (page) => {
        await fillIn(page)
        await page.getByRole("group", { name: "Secret 1" }).getByLabel("Value").fill("abc")
        await page.getByLabel("Task").press("Control+Enter")
        await page.getByText("Enter at least 4 characters.").waitFor()
        await checkWidth(page, "a run with options")
        await checkAccessibility(page, "a run with options")
        await page.getByRole("button", { name: "Remove secret 1" }).click()
        await page.getByRole("group", { name: "Secret 1" }).waitFor({ state: "detached" })
      },
      { ...looks.phone, theme: "dark" }
    ))
})
