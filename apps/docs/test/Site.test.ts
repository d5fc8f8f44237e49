import { open } from "@webagent/test-chromium"
import axe from "axe-core"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Item, sidebar } from "../src/Sidebar.ts"
import { root } from "../src/Site.ts"
import { build, readPage, serve } from "./site.ts"

let site: Awaited<ReturnType<typeof build>>

beforeAll(async () => {
  site = await build()
})

afterAll(() => site.remove())

const pagesOf = ({ items = [], link }: Item): ReadonlyArray<string> => [
  ...(link === undefined ? [] : [link]),
  ...items.flatMap(pagesOf)
]

describe("the site", () => {
  it("links only to existing pages and headings", () => {
    const pages = new Map(site.pages.map((page) => [page, readPage(site.folder, page)]))
    const links = [...pages.values()].flatMap((page) => page.links)
    assert.isAbove(links.length, 10_000)
    const broken = links.filter(({ anchor, file }) => {
      if (!existsSync(join(site.folder, file))) return true
      return anchor !== "" && file.endsWith(".html") && pages.get(file)?.anchors.has(anchor) !== true
    })
    assert.deepStrictEqual([...new Set(broken.map(({ href, page }) => `${page} -> ${href}`))], [])
  })

  it("has every page of docs/ in the sidebar once, and no other page", () => {
    const links = sidebar({ api: [], cli: [], http: [] }).flatMap(pagesOf)
    const pages = globSync("docs/*.md", { cwd: root }).map((file) => `/${file.slice("docs/".length, -".md".length)}`)
    assert.deepStrictEqual(
      links.toSorted(),
      [...pages.filter((page) => page !== "/README"), "/", "/assumptions", "/guides", "/reference/errors"].toSorted()
    )
  })

  it("has a search index of less than 1 MB compressed", () => {
    const [index = ""] = globSync("assets/chunks/@localSearchIndex*.js", { cwd: site.folder })
    assert.isBelow(gzipSync(readFileSync(join(site.folder, index))).length, 1_000_000)
  })

  it("loads nothing from other hosts", () => {
    const files = globSync("**/*.{html,css}", { cwd: site.folder })
    const foreign = files.filter((file) =>
      /<(?:script|link|img|iframe)\b[^>]*\s(?:src|href)="https?:|url\(["']?https?:|@import/u.test(
        readFileSync(join(site.folder, file), "utf8")
      )
    )
    assert.isNotEmpty(files)
    assert.deepStrictEqual(foreign, [])
  })
})

/** One or more pages of each kind. */
const visited = [
  "index.html",
  "get-started.html",
  "waits-and-errors.html",
  "verdicts.html",
  "other-languages.html",
  "server-reference.html",
  "run-your-own-server.html",
  "cli.html",
  "cli/webagent-harness-run.html",
  "reference/api/v4.html",
  "reference/api/v4-promise.html",
  "reference/http/v4.html",
  "packages/contract/index.html"
]

/** Words that people type, and the page that they look for. */
const searches = {
  timeout: "waits-and-errors.html",
  webhook: "webhooks.html",
  retry: "retries.html",
  docker: "run-your-own-server.html",
  cost: "budgets.html",
  python: "other-languages.html",
  "lost response": "retries.html",
  "rate limit": "retries.html",
  nightly: "nightly.html",
  "server with a model": "run-tasks-with-a-model.html"
}

// visits take longer than all other tests of this package
describe.runIf(process.env["WEBAGENT_SCREENS"] === "all")("the site in Chromium", () => {
  let browser: Browser
  let host: Awaited<ReturnType<typeof serve>>

  beforeAll(async () => {
    ;[browser, host] = await Promise.all([open(), serve(site.folder)])
  })

  afterAll(async () => {
    await browser.close()
    host.close()
  })

  /** Opens a page of the site, and fails if it logs an error or sends a request to elsewhere. */
  const visit = async (name: string, use: (page: Page) => Promise<void>): Promise<void> => {
    // without transitions, colors are final as soon as the scheme changes
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" })
    const problems: Array<string> = []
    page.on("request", (request) => {
      if (!request.url().startsWith(host.origin)) problems.push(`request to ${request.url()}`)
    })
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text())
    })
    page.on("pageerror", (error) => problems.push(error.message))
    try {
      await page.goto(host.address(name), { waitUntil: "networkidle" })
      await use(page)
      assert.deepStrictEqual(problems, [])
    } finally {
      await page.close()
    }
  }

  const violationsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
    await page.evaluate(axe.source)
    return page.evaluate(async () => {
      const { violations } = await (globalThis as object as { readonly axe: typeof axe }).axe.run()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    })
  }

  for (const name of visited)
    it(`${name} is accessible and doesn't scroll sideways, in light and dark, on desktops and phones`, () =>
      visit(name, async (page) => {
        for (const colorScheme of ["light", "dark"] as const)
          for (const width of [1280, 390]) {
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize({ width, height: 900 })
            await page.waitForFunction(
              (isDark) => document.documentElement.classList.contains("dark") === isDark,
              colorScheme === "dark"
            )
            const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
            const problems = sideways > 0 ? [`scrolls ${sideways} px sideways`] : []
            // colors are the same at both widths
            if (colorScheme === "light" || width === 1280) problems.push(...(await violationsOf(page)))
            assert.deepStrictEqual(problems, [], `${colorScheme}, ${width} px`)
          }
      }))

  it("the choice of Promise or Effect persists after a reload", () =>
    visit("get-started.html", async (page) => {
      const effect = page.locator('.blocks > .active code:has-text("ManagedRuntime")')
      assert.strictEqual(await effect.count(), 0)
      await page.locator('label:has-text("Effect")').first().click()
      await effect.first().waitFor()
      await page.reload()
      await effect.first().waitFor()
    }))

  for (const [word, expected] of Object.entries(searches))
    it(`a search for "${word}" finds ${expected} among the first five results`, () =>
      visit("index.html", async (page) => {
        const input = page.locator(".VPLocalSearchBox input")
        const opens = async () => {
          await page.keyboard.press("Control+k")
          return input.waitFor({ timeout: 1000 }).then(
            () => true,
            () => false
          )
        }
        // until the page's script has run, no key is heard
        while (!(await opens()));
        await input.fill(word)
        await page.locator(".VPLocalSearchBox .result").first().waitFor()
        const results = await page
          .locator(".VPLocalSearchBox .result")
          .evaluateAll((links) => links.slice(0, 5).map((link) => new URL((link as HTMLAnchorElement).href).pathname))
        assert.include(results, `/manual/${expected}`)
      }))
})
