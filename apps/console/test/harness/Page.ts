import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
import { assert, beforeAll } from "vitest"
import { type Look, looks, watchProblems } from "../screens/Console.ts"
import { buildOnce, sharedChromium } from "../screens/Shared.ts"
import { serve } from "./Served.ts"
import type { WorldOptions } from "./World.ts"

/** A server with a made-up project. */
export type Server = Effect.Success<ReturnType<typeof serve>>

/** Builds the harness's screens, and returns the browser of the tests of one file. */
export const useBrowser = (): (() => Browser) => {
  let browser: Browser
  beforeAll(async () => {
    buildOnce("harness")
    browser = await sharedChromium()
  })
  return () => browser
}

/** The harness's screens over a made-up project in a real Chromium, for the tests of one file. */
export const useHarness = (options: WorldOptions = {}) => {
  const browser = useBrowser()
  /** Opens an address, runs a test, and fails for any problem of the page. */
  const visit = async (
    path: string,
    test: (page: Page, server: Server) => Promise<void>,
    { theme, width }: Look = looks.light,
    size: WorldOptions = options
  ) => {
    const scope = Effect.runSync(Scope.make())
    const server = await Effect.runPromise(Scope.provide(serve(size), scope))
    const context = await browser().newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
      colorScheme: theme,
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"]
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const problems = watchProblems(page, server.address)
    try {
      await page.goto(`${server.address}/ui/#${path}`)
      await page.waitForSelector("h1")
      await test(page, server)
      assert.deepStrictEqual(problems, [])
    } finally {
      await context.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
  return { visit }
}
