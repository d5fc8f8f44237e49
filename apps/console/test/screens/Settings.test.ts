import { assert, describe, it } from "vitest"
import { hostile } from "../server/World.ts"
import { checkAccessibility, checkWidth, looks, runId, useConsole, widths } from "./Console.ts"

const at = "2026-11-28T08:00:00.000Z"

const delivery = {
  id: "d1",
  messageId: "msg_1",
  type: "run.completed",
  status: "queued",
  attempts: 3,
  createdAt: at,
  nextAttemptAt: at,
  finishedAt: null,
  response: 503,
  error: "The response was 503"
}

const webhook = {
  id: "w1",
  url: `https://app.example/${hostile[0]}`,
  description: null,
  events: ["run.completed"],
  active: true,
  owner: "shop",
  everyKey: false,
  createdAt: at,
  updatedAt: at,
  previousSecretUntil: null,
  lastDelivery: delivery
}

const schedule = {
  id: "s1",
  name: hostile[1],
  cron: "0 6 * * 1-5",
  timeZone: "Europe/Berlin",
  missed: "skip",
  run: { task: "Find a red mug" },
  active: true,
  owner: "shop",
  nextAt: at,
  lastDueAt: at,
  lastRunId: runId(3),
  lastError: null,
  createdAt: at,
  updatedAt: at
}

describe("the settings", () => {
  const { visit } = useConsole()

  it("have a line for each fact on a phone", () =>
    visit(
      "/settings",
      async (page) => {
        const row = page.getByRole("region", { name: "Server details" }).locator("tr").filter({ hasText: "Version" })
        const [name, value] = [await row.locator("th").boundingBox(), await row.locator("td").boundingBox()]
        assert.strictEqual(value?.y, name?.y)
        assert.strictEqual(
          await row.locator("td").evaluate((cell) => getComputedStyle(cell, "::before").content),
          "none"
        )
      },
      looks.phone
    ))

  it("link to the server's documentation", () =>
    visit("/settings", async (page) => {
      const link = page.getByRole("link", { name: "API v4" })
      assert.deepStrictEqual(await Promise.all(["href", "target", "rel"].map((name) => link.getAttribute(name))), [
        "/api/v4/docs",
        "_blank",
        "noopener noreferrer"
      ])
    }))

  for (const look of widths) {
    it(`show webhooks with their newest message, and schedules with their runs, at ${look.width} px`, () =>
      visit(
        "/settings",
        async (page, { world }) => {
          await page.getByRole("table").first().waitFor()
          assert.strictEqual(await page.getByRole("heading", { name: "Webhooks" }).count(), 0)
          world.webhooks.push(webhook, { ...webhook, id: "w2", everyKey: true, active: false, lastDelivery: null })
          world.schedules.push(schedule, {
            ...schedule,
            id: "s2",
            active: false,
            nextAt: null,
            lastError: `No run: ${hostile[2]}`
          })
          await page.reload()
          const webhooks = page.getByRole("region", { name: "Webhooks" })
          await webhooks.getByText("The response was 503 after 3 attempts").waitFor()
          await webhooks.getByText("Inactive").waitFor()
          const schedules = page.getByRole("region", { name: "Schedules" })
          await schedules.getByText("Paused").waitFor()
          assert.strictEqual(await schedules.getByRole("link").getAttribute("href"), `/console/runs/${runId(3)}`)
          await checkAccessibility(page, "webhooks and schedules")
          await checkWidth(page, "webhooks and schedules")
          assert.isUndefined(await page.evaluate(() => (globalThis as { pwned?: number }).pwned))
          world.webhooks.length = 0
          world.schedules.length = 0
        },
        look
      ))
  }
})
