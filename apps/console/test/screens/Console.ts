import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, Page } from "playwright-core"
import { assert, beforeAll } from "vitest"
import { serve } from "../server/Served.ts"
import { buildOnce, sharedChromium } from "./Shared.ts"

/** True for the whole matrix of screens, themes and widths: `npm run test:screens`. */
export const isWhole = process.env["WEBAGENT_SCREENS"] === "all"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Look of a page. */
export interface Look {
  readonly theme: "light" | "dark"
  readonly width: number
  /** The time of day that the page has for as long as it's open; the real one otherwise. */
  readonly time?: Date
}

export const looks = {
  light: { theme: "light", width: 1280 },
  dark: { theme: "dark", width: 1280 },
  phone: { theme: "light", width: 390 }
} as const satisfies Record<string, Look>

/** Options of a page that looks the same on every machine; none for a page with the real time. */
export const fixed = (time: Date | undefined) =>
  time === undefined ? {} : ({ bypassCSP: true, locale: "en-US", timezoneId: "UTC" } as const)

/** The looks of a test whose layout depends on the width: both for the whole matrix, and the wide one otherwise. */
export const widths: ReadonlyArray<Look> = isWhole ? [looks.light, looks.phone] : [looks.light]

/** A server with made-up records. */
export type Server = Effect.Success<ReturnType<typeof serve>>

/** Collects the problems that no page may have. */
export const watchProblems = (page: Page, address: string) => {
  const problems: Array<string> = []
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`))
  page.on("console", (message) => {
    const text = message.text()
    // a failed request is shown on the screen, and Chromium prints it as well
    const isExpected =
      /status of (?:401|403|404|409|422|503)|ERR_CONNECTION_REFUSED|WebSocket connection to|Unable to preload CSS/u.test(
        text
      )
    if (message.type() === "error" && !isExpected) problems.push(`console: ${text}`)
  })
  page.on("request", (request) => {
    if (!/^(?:http|ws)/u.test(request.url())) return problems.push(`request: ${request.url()}`)
    return new URL(request.url()).host === new URL(address).host || problems.push(`foreign request: ${request.url()}`)
  })
  return problems
}

/** A console over made-up records in a real Chromium, for the tests of one file. */
export const useConsole = ({
  browser: given,
  browsers = 3,
  size = 300
}: { readonly size?: number; readonly browsers?: number; readonly browser?: Browser | undefined } = {}) => {
  let browser: Browser
  let scope: Scope.Closeable
  let server: Server
  beforeAll(async () => {
    buildOnce("console")
    browser = given ?? (await sharedChromium())
  })

  /** Opens an address of the console, runs a test, and fails for any problem of the page. */
  const visit = async (
    path: string,
    test: (page: Page, server: Server) => Promise<void>,
    { theme, time, width }: Look = looks.light
  ) => {
    scope = Effect.runSync(Scope.make())
    server = await Effect.runPromise(Scope.provide(serve({ size, browsers }), scope))
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
      colorScheme: theme,
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      ...fixed(time)
    })
    const page = await context.newPage()
    if (time !== undefined) await page.clock.setFixedTime(time)
    page.setDefaultTimeout(60_000)
    const problems = watchProblems(page, server.address)
    try {
      await page.goto(`${server.address}/console${path}`)
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

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** Fails for anything that axe finds by WCAG 2.2 AA and by best practice. */
export const checkAccessibility = async (page: Page, what: string): Promise<void> => {
  // the policy forbids a script tag; this goes through DevTools
  await page.evaluate(axe)
  const violations = await page.evaluate(async (): Promise<ReadonlyArray<Violation>> => {
    const { axe } = globalThis as object as {
      axe: { run: (context: Document, options: object) => Promise<{ violations: Array<Violation> }> }
    }
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    return (await axe.run(document, { runOnly: { type: "tag", values: tags } })).violations
  })
  const lines = violations.flatMap(({ help, id, nodes }) =>
    nodes.map(({ failureSummary = "", html }) => `${id}: ${help}\n  ${html.slice(0, 200)}\n  ${failureSummary}`)
  )
  assert.deepStrictEqual(lines, [], what)
}

/** Fails if the page scrolls sideways. */
export const checkWidth = async (page: Page, what: string): Promise<void> => {
  const { inner, scroll } = await page.evaluate(() => ({
    inner: window.innerWidth,
    scroll: document.documentElement.scrollWidth
  }))
  assert.isAtMost(scroll, inner, what)
}

/** The id of a made-up run. */
export const runId = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
