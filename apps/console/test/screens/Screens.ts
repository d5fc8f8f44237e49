import type { Page } from "playwright-core"
import { runId, type Server } from "./Console.ts"

/** A screen in one of its states. */
export interface Screen {
  readonly path: string
  /** Brings the screen into the state to check. */
  readonly prepare?: (page: Page, server: Server) => Promise<void>
}

/** Every screen with its states, for the tests that look at all of them. */
export const screens: Readonly<Record<string, Screen>> = {
  overview: { path: "/" },
  start: { path: "/start", prepare: (page) => page.getByText("Options", { exact: true }).click() },
  runs: {
    path: "/runs",
    prepare: async (page) => void (await page.waitForSelector("[role=grid] [role=row]:nth-child(5)"))
  },
  "runs without a match": { path: "/runs?search=nothingofthissort" },
  "runs with filters": {
    path: "/runs?key=shop&status=failed",
    prepare: async (page) => {
      // the counts move what is after them
      await page.getByRole("button", { name: /^Failed \d/u }).waitFor()
      await page.getByText(/^More filters/u).click()
      await page.mouse.move(0, 0)
    }
  },
  "a failed run": {
    path: `/runs/${runId(3)}`,
    prepare: async (page) => void (await page.waitForSelector("li button"))
  },
  "a running run": {
    path: `/runs/${runId(0)}`,
    prepare: async (page) => void (await page.waitForSelector("li button"))
  },
  "an unknown run": { path: "/runs/none" },
  "a run with a recording": {
    path: `/runs/${runId(2)}`,
    prepare: async (page) => void (await page.waitForSelector("video"))
  },
  "shared runs": {
    path: "/shares",
    prepare: async (page, { world }) => {
      world.share(runId(3))
      await page.reload()
      await page.waitForSelector("table")
    }
  },
  "a shared run": {
    path: `/share/${runId(3)}#token-1`,
    prepare: async (page, { world }) => {
      world.share(runId(3))
      await page.reload()
      await page.waitForSelector("li button")
    }
  },
  "a browser": {
    path: `/browsers/${runId(900_000)}`,
    prepare: async (page) => void (await page.waitForSelector("canvas[data-picture=true]"))
  },
  "the live wall": {
    path: "/wall?by=key",
    prepare: async (page) => void (await page.waitForSelector("[data-picture=true]"))
  },
  keys: { path: "/keys", prepare: async (page) => void (await page.waitForSelector("table")) },
  "the sign-in": {
    path: "/keys",
    prepare: async (page, { behavior }) => {
      behavior.signedIn = false
      await page.reload()
      await page.getByLabel("API key").waitFor()
    }
  },
  "the form of a key": {
    path: "/keys",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      await page.waitForSelector("[role=dialog]")
    }
  },
  "a confirmation": {
    path: "/keys",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Revoke support" }).click()
      await page.waitForSelector("[role=alertdialog]")
    }
  },
  "the palette": {
    path: "/",
    prepare: async (page) => {
      await page.keyboard.press("Control+k")
      await page.waitForSelector("[role=dialog] [role=option]")
    }
  },
  "the keyboard shortcuts": {
    path: "/",
    prepare: async (page) => {
      await page.keyboard.press("?")
      await page.waitForSelector("[role=dialog]")
    }
  },
  sessions: { path: "/sessions", prepare: async (page) => void (await page.waitForSelector("table")) },
  spend: { path: "/spend?by=day", prepare: async (page) => void (await page.waitForSelector("table")) },
  "the costliest runs": { path: "/spend?by=run", prepare: async (page) => void (await page.waitForSelector("table")) },
  nodes: { path: "/nodes", prepare: async (page) => void (await page.waitForSelector("table")) },
  "no events": { path: "/events" },
  events: {
    path: "/events",
    prepare: async (page, { world }) => {
      world.remember(130)
      await page.reload()
      await page.waitForSelector("table")
      for (const run of [...world.runs.values()].slice(0, 5)) world.put(run)
      await page.getByText("At position 1005").waitFor()
    }
  },
  "the audit log": { path: "/events/audit", prepare: async (page) => void (await page.waitForSelector("table")) },
  settings: { path: "/settings", prepare: async (page) => void (await page.waitForSelector("table")) },
  "an unknown screen": { path: "/nowhere" }
}
