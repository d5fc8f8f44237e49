import { assert, describe, it } from "vitest"
import { checkAccessibility, runId, useConsole } from "./Console.ts"
import { row } from "./reading.ts"

describe("the connection", () => {
  const { visit } = useConsole()

  it("catches up after an interruption, and mentions that it was lost", () =>
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

  it("is up to date after a minute of sleep without events", () =>
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

  it("reads everything again if events are missing", () =>
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

  it("reloads a failed screen when the connection is restored", () =>
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

  it("reloads the page for a screen whose files it couldn't get", () =>
    visit("/", async (page, { behavior }) => {
      behavior.isDown = true
      await page.getByRole("link", { name: "Keys" }).click()
      await page.getByText("Couldn't load this screen").waitFor()
      behavior.isDown = false
      await page.getByRole("button", { name: "Try again" }).click()
      await page.getByRole("link", { name: "research" }).waitFor()
    }))
})
