import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { open } from "@webagent/test-chromium"
import axe from "axe-core"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import * as AbHtml from "../../src/html/AbHtml.ts"
import * as LoadHtml from "../../src/html/LoadHtml.ts"
import * as TimeSeries from "../../src/TimeSeries.ts"
import { comparison, failedLoad, points } from "../reports.ts"

const directory = mkdtempSync(join(tmpdir(), "webagent-load-html-"))

let browser: Browser
beforeAll(async () => {
  browser = await open()
})
afterAll(async () => {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
})

const pages = {
  "load test": () => LoadHtml.render(failedLoad, TimeSeries.of(points()), "load-average-load-k6.html"),
  // so far apart that the scale goes as far as it can
  comparison: () => AbHtml.render(comparison(3.9))
}

describe("the pages of load tests in Chromium", () => {
  for (const [name, render] of Object.entries(pages)) {
    for (const [screen, options] of [
      ["light", { colorScheme: "light" }],
      ["dark", { colorScheme: "dark" }],
      ["phone", { viewport: { width: 360, height: 740 } }]
    ] as const) {
      it(`axe finds no violation in a ${name}, ${screen}, nothing is wider than the screen, and no text is cut off`, async () => {
        const file = join(directory, `${name}-${screen}.html`)
        writeFileSync(file, render())
        const url = `file://${encodeURI(file)}`
        const context = await browser.newContext(options)
        // a test has a limit of its own
        context.setDefaultTimeout(0)
        const tab = await context.newPage()
        const problems: Array<string> = []
        tab.on("console", (message) => problems.push(message.text()))
        tab.on("pageerror", (error) => problems.push(error.message))
        tab.on("request", (request) => {
          if (request.url() !== url) problems.push(`requested ${request.url()}`)
        })
        await tab.goto(url)
        await tab.evaluate(axe.source)
        const { violations } = await tab.evaluate<axe.AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
        assert.deepStrictEqual(
          violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
          []
        )
        assert.isAtMost(
          await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
          0
        )
        const cut = await tab.evaluate(() =>
          [...document.querySelectorAll("svg text")].flatMap((text) => {
            const inner = text.getBoundingClientRect()
            const outer = text.closest("svg")?.getBoundingClientRect() ?? inner
            return inner.left >= outer.left - 1 && inner.right <= outer.right + 1 ? [] : [text.textContent]
          })
        )
        assert.deepStrictEqual(cut, [])
        assert.deepStrictEqual(problems, [])
        await context.close()
      })
    }
  }
})
