import { Server, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { buildOnce, sharedChromium } from "./Shared.ts"

describe("the console of the simulated service", () => {
  const scope = Effect.runSync(Scope.make())
  let browser: Browser
  let address = ""
  beforeAll(async () => {
    buildOnce("console")
    const parts = await Effect.runPromise(Scope.provide(Layer.build(SimulatedService.layer()), scope))
    address = Context.get(parts, Server).address
    browser = await sharedChromium()
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  it("starts a run without a sign-in, watches it to its end, finds a failed one, and follows up", async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    const errors: Array<string> = []
    page.on("pageerror", ({ message }) => errors.push(message))
    await page.goto(`${address}/console`)
    await page.getByRole("heading", { name: "First steps" }).waitFor()
    await page.getByRole("link", { name: "Start one" }).click()
    await page.getByLabel("Task").fill("Find a red mug [simulate duration=1s output=found]")
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.waitForURL(/\/console\/runs\/[\w-]+$/u)
    // queued, running and completed arrive as events
    await page.locator("[data-status=completed]").first().waitFor()
    await page.getByRole("region", { name: "Result" }).getByText("found").waitFor()
    await page.getByText("A simulated run never has any").waitFor()

    await page.getByRole("link", { name: "Start a run" }).click()
    await page.getByRole("button", { name: "A task that fails" }).click()
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.getByText("The page asks for a sign-in").first().waitFor()

    await page.getByRole("link", { name: "Overview", exact: true }).click()
    await page.getByRole("link", { name: /^Failed today \(UTC\)\s*1$/u }).waitFor()

    await page.getByRole("link", { name: "Runs", exact: true }).click()
    await page.getByRole("button", { name: /^Failed/u }).click()
    await page.getByRole("grid").getByText("Buy a train ticket").waitFor()
    await page.locator("[role=row][aria-selected]").nth(1).waitFor({ state: "detached" })

    await page.getByRole("link", { name: "Start a run" }).click()
    await page.getByRole("button", { name: "A task that takes 20 seconds" }).click()
    await page.getByRole("button", { name: "Start the run" }).click()
    await page.locator("[data-status=running]").first().waitFor()
    await page.getByRole("button", { name: "Cancel run" }).click()
    await page.locator("[data-status=cancelled]").first().waitFor()

    await page.getByRole("link", { name: "Keys", exact: true }).click()
    await page.getByRole("button", { name: "Create a key" }).first().click()
    await page.getByLabel("Name").fill("shop")
    await page.getByRole("button", { name: "Create the key" }).click()
    const secret = await page.getByRole("region", { name: "The key" }).innerText()
    await page.getByRole("button", { name: "I've copied it" }).click()
    const headers = { "x-service-api-key": secret }
    assert.strictEqual((await fetch(`${address}/api/v4/runs/none`, { headers })).status, 404)

    for (const [name, text] of [
      ["Sessions", "Show its runs"],
      ["Spend", "By model"],
      ["Nodes", "local"],
      ["Events", "At position"],
      ["Simulated service", "hostile"],
      ["Settings", "memory"]
    ] as const) {
      await page.getByRole("link", { name, exact: true }).click()
      await page.getByRole("heading", { name, exact: true }).first().waitFor()
      await page.getByText(text).or(page.getByTitle(text)).first().waitFor()
      // all sessions are on the first page
      assert.strictEqual(await page.getByRole("button", { name: "Show more" }).count(), 0)
    }
    assert.deepStrictEqual(errors, [])
    await page.close()
  })
})
