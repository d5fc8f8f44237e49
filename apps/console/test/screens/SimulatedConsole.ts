import { Server, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Browser, Page } from "playwright-core"
import { assert, beforeAll } from "vitest"
import { fixed, type Look, looks, watchProblems } from "./Console.ts"
import { buildOnce, sharedChromium } from "./Shared.ts"

/** A simulated service with its console, to which a test sends requests as an app does. */
interface Service {
  readonly send: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>
}

/** The console of a simulated service in a real Chromium, which is another service for each test. */
export const useSimulation = ({ browser: given }: { readonly browser?: Browser | undefined } = {}) => {
  let browser: Browser
  beforeAll(async () => {
    buildOnce("console")
    browser = given ?? (await sharedChromium())
  })
  /** Opens an address of the console, runs a test, and fails for any problem of the page. */
  const visit = async (
    path: string,
    test: (page: Page, service: Service) => Promise<void>,
    { theme, time, width }: Look = looks.light
  ) => {
    const scope = Effect.runSync(Scope.make())
    const parts = await Effect.runPromise(Scope.provide(Layer.build(SimulatedService.layer()), scope))
    const { address } = Context.get(parts, Server)
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
      colorScheme: theme,
      reducedMotion: "reduce",
      ...fixed(time)
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    const problems = watchProblems(page, address)
    const send: Service["send"] = (method, at, body, headers) =>
      fetch(`${address}${at}`, {
        method,
        headers: { "x-service-api-key": "wak_test", "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    try {
      await page.goto(`${address}/console${path}`)
      await page.waitForSelector("h1")
      await test(page, { send })
      assert.deepStrictEqual(problems, [])
    } finally {
      await context.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
  return { visit }
}
