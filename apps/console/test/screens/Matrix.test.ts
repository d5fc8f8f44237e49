import type { Page } from "playwright-core"
import { describe, it } from "vitest"
import { checkAccessibility, checkWidth, isWhole, looks, runId, useConsole } from "./Console.ts"

interface Screen {
  readonly path: string
  /** Brings the screen into the state to check. */
  readonly prepare?: (page: Page) => Promise<void>
}

const screens: Readonly<Record<string, Screen>> = {
  overview: { path: "/" },
  start: { path: "/start", prepare: (page) => page.getByText("Options", { exact: true }).click() },
  runs: {
    path: "/runs",
    prepare: async (page) => void (await page.waitForSelector("[role=grid] [role=row]:nth-child(5)"))
  },
  "runs without a match": { path: "/runs?search=nothingofthissort" },
  "runs with filters": {
    path: "/runs?key=shop&status=failed",
    prepare: (page) => page.getByText(/^More filters/u).click()
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
  "a browser": { path: `/browsers/${runId(900_000)}` },
  keys: { path: "/keys", prepare: async (page) => void (await page.waitForSelector("table")) },
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
  nodes: { path: "/nodes", prepare: async (page) => void (await page.waitForSelector("table")) },
  "the audit log": { path: "/audit", prepare: async (page) => void (await page.waitForSelector("table")) },
  settings: { path: "/settings", prepare: async (page) => void (await page.waitForSelector("table")) },
  "an unknown screen": { path: "/nowhere" }
}

/** Screens that `npm test` checks: those with the most controls. */
const few = ["overview", "start", "runs", "a failed run", "the form of a key"]

describe("screens", () => {
  const { visit } = useConsole()
  for (const [name, look] of Object.entries(looks)) {
    // dark differs from light in its colors only
    if (!isWhole && name === "dark") continue
    for (const [screen, { path, prepare }] of Object.entries(screens)) {
      if (!isWhole && !few.includes(screen)) continue
      it(`axe finds nothing on ${screen} in ${name}, and nothing scrolls sideways`, () =>
        visit(
          path,
          async (page) => {
            await prepare?.(page)
            await checkAccessibility(page, screen)
            await checkWidth(page, screen)
          },
          look
        ))
    }
  }
})
