import type { Page } from "playwright-core"
import { lastRun, liveRun, nameOf } from "../harness/world/Facts.ts"
import type { Server } from "../harness/Page.ts"
import { queryOf } from "../../src/harness/state/address.ts"

/** A screen of the harness in one of its states. */
export interface HarnessScreen {
  readonly path: string
  /** Brings the screen into the state to check. */
  readonly prepare?: (page: Page, server: Server) => Promise<unknown>
  readonly isEmpty?: boolean
}

const scenario = (n: number) => queryOf({ ...nameOf(n) })

const begin = async (page: Page, { finishTrial, startTrial, step }: Server) => {
  for (const n of [2, 7]) {
    startTrial(n, 0)
    finishTrial(n, 0)
    startTrial(n, 1)
    for (const number of [1, 2]) step(n, 1, number)
  }
  await page.getByText("Running now").waitFor()
}

/** Every screen of the harness with its states, for the tests that look at all of them. */
export const harnessScreens: Readonly<Record<string, HarnessScreen>> = {
  nights: { path: "/", prepare: (page) => page.waitForSelector("[role=grid] [role=rowheader] a") },
  "nights with filters": {
    path: "/?tag=nightly&red=true&compare=a00000,a00001",
    prepare: (page) => page.waitForSelector("[role=grid]")
  },
  "nights without a match": { path: "/?text=nothingofthissort" },
  "a list of nights": { path: "/nights", prepare: (page) => page.waitForSelector("table") },
  "no nights": { path: "/", isEmpty: true },
  "a cell under the keyboard": {
    path: "/",
    prepare: async (page) => {
      await page.getByRole("grid").focus()
      for (const key of ["ArrowDown", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key)
    }
  },
  "a night": { path: "/nights/a00001", prepare: (page) => page.waitForSelector("table") },
  "accepting a level": {
    path: "/nights/a00001",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Accept the new level…" }).click()
      await page.getByLabel("Note").waitFor()
    }
  },
  "two nights compared": { path: "/compare/a00000?before=a00001", prepare: (page) => page.waitForSelector("table") },
  "a scenario over time": { path: `/scenario${scenario(3)}`, prepare: (page) => page.waitForSelector("figure") },
  "whole nights over time": { path: "/trend", prepare: (page) => page.waitForSelector("figure") },
  runs: { path: "/runs", prepare: (page) => page.waitForSelector("table") },
  "no runs": { path: "/runs", isEmpty: true },
  "a run": { path: `/runs/${lastRun}`, prepare: (page) => page.waitForSelector("table") },
  "a run with forms": {
    path: `/runs/${lastRun}`,
    prepare: async (page) => {
      await page.getByRole("button", { name: "Quarantine…" }).first().click()
      await page.getByRole("button", { name: "Acknowledge…" }).first().click()
      await page.getByRole("form", { name: "Acknowledge" }).getByLabel("Owner").waitFor()
    }
  },
  "a running run": { path: `/runs/${liveRun}`, prepare: begin },
  "a running trial": {
    path: `/trial/${liveRun}${queryOf({ ...nameOf(2), trial: 2 })}`,
    prepare: async (page, { startTrial, step }) => {
      startTrial(2, 1)
      for (const number of [1, 2]) step(2, 1, number)
      await page.getByText("Agent of run").waitFor()
    }
  },
  "an unknown run": { path: "/runs/none" },
  "a trial": { path: `/trial/${lastRun}${scenario(2)}`, prepare: (page) => page.waitForSelector("svg rect") },
  suites: { path: "/suites", prepare: (page) => page.waitForSelector("li input") },
  "chosen scenarios": {
    path: "/suites",
    prepare: async (page) => {
      await page.getByRole("button", { name: "Select all 40" }).click()
      await page.getByText("40 selected scenarios").waitFor()
    }
  },
  "no suites": { path: "/suites", isEmpty: true },
  "load tests": { path: "/load", prepare: (page) => page.waitForSelector("table") },
  "no load tests": { path: "/load", isEmpty: true },
  "a load test": { path: "/load/load-1?test=smoke", prepare: (page) => page.waitForSelector("figure") },
  "two services under load": {
    path: "/load-comparison/ab-1?test=smoke",
    prepare: (page) => page.waitForSelector("table")
  },
  "two load tests compared": {
    path: "/load-comparison/load-1?test=smoke&before=load-0",
    prepare: (page) => page.waitForSelector("table")
  },
  "the palette": {
    path: "/runs",
    prepare: async (page) => {
      await page.keyboard.press("Control+k")
      await page.waitForSelector("[role=dialog] [role=option]")
    }
  },
  "an unknown screen": { path: "/nowhere" }
}
