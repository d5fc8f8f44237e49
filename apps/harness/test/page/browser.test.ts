import axe from "axe-core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page as Tab } from "playwright-core"
import * as NightsPage from "../../src/page/NightsPage.ts"
import * as Page from "../../src/page/Page.ts"
import type { RunReport } from "@webagent/report/RunReport"
import { open } from "@webagent/test-chromium"
import { datedNight, greenNight, largeNight, linkOf, monthBefore, redNight, replay } from "./stories.ts"
import { run, tracesOf } from "./traces.ts"

const directory = mkdtempSync(join(tmpdir(), "webagent-page-"))

const write = (name: string, report: RunReport) => {
  const file = join(directory, `${name}.html`)
  writeFileSync(file, Page.render({ report, replay, linkOf, nights: monthBefore(report), traces: tracesOf(report) }))
  return `file://${file}`
}

let browser: Browser
beforeAll(async () => {
  browser = await open()
})
afterAll(async () => {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
})

/** A tab that has opened the page, and everything that it complained about. */
const visit = async (url: string, options: Parameters<Browser["newContext"]>[0] = {}, before?: () => void) => {
  const context = await browser.newContext({ acceptDownloads: true, ...options })
  if (before !== undefined) await context.addInitScript(before)
  // a test has a limit of its own
  context.setDefaultTimeout(0)
  const tab = await context.newPage()
  const complaints: Array<string> = []
  tab.on("console", (message) => complaints.push(message.text()))
  tab.on("pageerror", (error) => complaints.push(error.message))
  tab.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("blob:")) complaints.push(`asked for ${request.url()}`)
  })
  await tab.goto(url)
  return { tab, complaints, [Symbol.asyncDispose]: () => context.close() }
}

const firstWaterfall = async (tab: Tab) => {
  await tab.locator("details.scenario > summary").first().click()
  // a scenario that failed shows it at once
  const button = tab.locator("details.scenario[open] [data-trace]").first()
  if ((await tab.locator("details.scenario[open] [data-failed]").count()) === 0) await button.click()
  await tab.locator(".wf-row").first().waitFor()
}

/** What axe has against a page: the rule, and the elements. */
const violations = async (tab: Tab) => {
  // the page runs no script but its own; a debugger is not bound by that
  await tab.evaluate(axe.source)
  const { violations } = await tab.evaluate<axe.AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`)
}

describe("the page in Chromium", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    it(`axe finds nothing in a red night, its scenarios and a waterfall open, ${colorScheme}`, async () => {
      await using visited = await visit(write("red", datedNight(1)), { colorScheme })
      await firstWaterfall(visited.tab)
      const saw = visited.tab.locator("details.scenario[open] .wf-saw img").first()
      assert.strictEqual(await saw.getAttribute("alt"), `What the agent saw at step 1 of run ${run}`)
      const width = await saw.evaluate(async (image: HTMLImageElement) => {
        await image.decode()
        return image.naturalWidth
      })
      assert.strictEqual(width, 16)
      await visited.tab.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true
      })
      assert.deepStrictEqual(await violations(visited.tab), [])
      assert.deepStrictEqual(visited.complaints, [])
    })
  }

  it("axe finds nothing in a green night on a phone, and nothing is wider than it", async () => {
    await using visited = await visit(write("green", greenNight(2)), { viewport: { width: 360, height: 740 } })
    await firstWaterfall(visited.tab)
    assert.deepStrictEqual(await violations(visited.tab), [])
    assert.isAtMost(await visited.tab.evaluate(() => document.documentElement.scrollWidth), 360)
    const ends = await visited.tab
      .locator("nav a")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right))
    assert.isAtMost(Math.max(...ends), 360)
  })

  for (const colorScheme of ["light", "dark"] as const) {
    it(`axe finds nothing in the page of all nights, which is no wider than a phone, ${colorScheme}`, async () => {
      const file = join(directory, `nights-${colorScheme}.html`)
      const nights = monthBefore(redNight(30))
      writeFileSync(file, NightsPage.render({ past: { nights, accepted: [] }, last: 30, linkOf }))
      await using visited = await visit(`file://${file}`, { colorScheme, viewport: { width: 360, height: 740 } })
      const { tab } = visited
      assert.deepStrictEqual(await violations(tab), [])
      assert.isAtMost(await tab.evaluate(() => document.documentElement.scrollWidth), 360)
      const newest = nights.at(-1)
      assert.strictEqual(
        await tab.locator(".heat thead a").last().getAttribute("href"),
        newest === undefined ? "" : linkOf(newest)
      )
      // a phone shows the newest nights first, and names are whole
      const edges = await tab
        .locator(".heat thead th")
        .evaluateAll((heads) =>
          heads.map((head) => head.getBoundingClientRect()).map(({ left, right }) => [left, right])
        )
      assert.isAtMost(edges.at(-1)?.[1] ?? Infinity, 360)
      assert.isAtLeast(edges.filter(([left = 0, right = 0]) => left >= 0 && right <= 360).length, 8)
      const names = await tab
        .locator(".heat tbody th")
        .evaluateAll((all) =>
          all.map((one) => [one.getBoundingClientRect().left, one.scrollWidth - one.clientWidth] as const)
        )
      assert.deepStrictEqual(
        names.filter(([left, cut]) => left < 0 || cut > 0),
        []
      )
      const cell = tab.locator(".heat tbody:not(.whole) td").first()
      assert.match(await cell.innerText(), /^(?:✓|\d\/\d)$/u)
      await tab.locator("#by-time").check()
      assert.match(await cell.innerText(), /^(?:·|×\d\.\d)$/u)
      assert.deepStrictEqual(await violations(tab), [])
      assert.deepStrictEqual(visited.complaints, [])
    })
  }

  it("names of scenarios keep their width beside many nights", async () => {
    const file = join(directory, "nights-wide.html")
    writeFileSync(
      file,
      NightsPage.render({ past: { nights: monthBefore(greenNight(10)), accepted: [] }, last: 30, linkOf })
    )
    await using visited = await visit(`file://${file}`, { viewport: { width: 1280, height: 900 } })
    const widths = await visited.tab
      .locator(".heat tbody th[title]")
      .evaluateAll((names) => names.map((name) => name.getBoundingClientRect().width))
    assert.lengthOf(widths, 10)
    // no head of a night stands above the names
    const corner = await visited.tab.locator(".heat thead td").boundingBox()
    const name = await visited.tab.locator(".heat tbody th[title]").first().boundingBox()
    assert.deepStrictEqual([corner?.x, corner?.width], [name?.x, name?.width])
    // two lines of most names, whatever the font
    assert.isAtLeast(Math.min(...widths), 256)
  })

  it("the list of nights keeps a time to the second apart from why a night was red", async () => {
    const verdict = { status: "red", title: "1 new failure" } as const
    const nights = monthBefore(greenNight(1), 2).map((night, index) => ({
      ...night,
      verdict,
      startedAt: `2026-11-19T02:00:0${index}.000Z`
    }))
    const file = join(directory, "nights-close.html")
    writeFileSync(file, NightsPage.render({ past: { nights, accepted: [] }, last: 30, linkOf }))
    await using visited = await visit(`file://${file}`, { viewport: { width: 1280, height: 900 } })
    const row = visited.tab.locator(".nights-list li").first()
    assert.include(await row.innerText(), "2026-11-19 02:00:00")
    const [time, why] = await Promise.all([row.locator("b a").boundingBox(), row.locator(".why").boundingBox()])
    assert.isAtLeast((why?.x ?? 0) - (time?.x ?? 0) - (time?.width ?? 0), 8)
  })

  it("the box of what is open keeps its distance from the findings", async () => {
    await using visited = await visit(write("red", redNight(1)))
    const [box, list] = await Promise.all(
      ["#findings > .calm", "#findings > .findings"].map((selector) =>
        visited.tab.locator(selector).last().boundingBox()
      )
    )
    assert.isAtLeast((list?.y ?? 0) - (box?.y ?? 0) - (box?.height ?? 0), 8)
  })

  it("the keyboard alone reaches a finding, its waterfall, and a request with its answer", async () => {
    await using visited = await visit(write("red", redNight()))
    const { tab } = visited
    await tab.locator(".finding a").first().focus()
    await tab.keyboard.press("Enter")
    // the address changes first, and the page hears of it
    await tab.waitForFunction(() => document.activeElement?.tagName === "SUMMARY")
    assert.include(await tab.evaluate(() => document.activeElement?.textContent ?? ""), "buys the red mug")
    const button = tab.locator("details.scenario[open] [data-failed]").first()
    await tab.locator(".wf-row").first().waitFor()
    assert.strictEqual(await button.getAttribute("aria-expanded"), "true")
    await tab.locator(".wf-row").first().focus()
    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("Enter")
    const detail = tab.locator(".wf-detail")
    assert.include(await detail.innerText(), "5 of 5")
    assert.include(await detail.innerText(), '"status": "running"')
    assert.include(await tab.locator('.wf-row[aria-pressed="true"]').innerText(), "5 polls")
    await button.focus()
    await tab.keyboard.press("Space")
    assert.isFalse(await tab.locator(".wf").isVisible())
    await tab.keyboard.press("Escape")
    assert.strictEqual(await tab.locator("details.scenario[open]").count(), 0)
    assert.strictEqual(await tab.evaluate(() => document.activeElement?.tagName), "SUMMARY")
  })

  it("Trace beside a finding opens its panel, and Close closes it; one panel is open at a time", async () => {
    await using visited = await visit(write("red", redNight(2)), { viewport: { width: 1400, height: 900 } })
    const { tab } = visited
    await tab.locator(".finding [data-open]").first().click()
    await tab.locator(".wf-row").first().waitFor()
    const box = await tab.locator("details.scenario[open] > .body").boundingBox()
    assert.isAbove(box?.x ?? 0, 400)
    assert.match(
      await tab.locator("details.scenario[open] .failure").first().innerText(),
      /the order that the shop keeps/u
    )
    await tab
      .locator("details.scenario > summary")
      .last()
      .evaluate((summary: HTMLElement) => summary.click())
    assert.strictEqual(await tab.locator("details.scenario[open]").count(), 1)
    await tab.locator("details.scenario[open] [data-close]").click()
    assert.strictEqual(await tab.locator("details.scenario[open]").count(), 0)
    assert.deepStrictEqual(visited.complaints, [])
  })

  it("the path of a request is whole beside its status, however much that says", async () => {
    await using visited = await visit(write("red", redNight(1)), { viewport: { width: 1280, height: 800 } })
    await firstWaterfall(visited.tab)
    const cut = await visited.tab.evaluate<Array<string>>(
      `[...document.querySelectorAll(".wf-row .label b + .what")].filter((what) => what.scrollWidth > what.clientWidth).map((what) => what.textContent)`
    )
    assert.deepStrictEqual(cut, [])
    const polls = visited.tab.locator(".wf-row", { hasText: "5 polls" }).first()
    assert.strictEqual(await polls.locator(".what").textContent(), "/v4/runs/7f0c11aa…/status")
  })

  it("a trial is downloaded as an HTTP archive, and the command that replays it is copied", async () => {
    await using visited = await visit(write("red", redNight()), { permissions: ["clipboard-read", "clipboard-write"] })
    const { tab } = visited
    await firstWaterfall(tab)
    const [download] = await Promise.all([
      tab.waitForEvent("download"),
      tab.getByRole("button", { name: "Download HAR" }).click()
    ])
    assert.strictEqual(download.suggestedFilename(), "checkout-buys-the-red-mug-1.har")
    const har = JSON.parse(readFileSync(await download.path(), "utf8"))
    assert.strictEqual(har.log.entries.length, 8)
    assert.strictEqual(har.log.creator.version, "0.1.0")
    await tab.getByRole("button", { name: "Copy replay command" }).click()
    await tab.getByText("Copied").first().waitFor()
    assert.strictEqual(
      await tab.evaluate(() => navigator.clipboard.readText()),
      'npm run harness -- run checkout --name "buys the red mug" --seed 1'
    )
  })

  it("scenarios are found by a part of their name and by verdict; without a script all of them are there", async () => {
    const url = write("red", redNight())
    const shown = (tab: Tab) => tab.locator("details.scenario:visible").count()
    await using visited = await visit(url)
    await visited.tab.getByLabel("Find a scenario").fill("RED mug")
    assert.strictEqual(await shown(visited.tab), 1)
    await visited.tab.getByLabel("Find a scenario").fill("")
    await visited.tab.getByRole("button", { name: "flaky" }).click()
    assert.strictEqual(await shown(visited.tab), 1)
    assert.strictEqual(await visited.tab.locator("#found").innerText(), "1 of 68 shown")
    const filter = (name: string) => visited.tab.getByRole("button", { name, exact: true })
    for (const [word, name] of [
      ["leaked", "forgets to stop its browser"],
      ["slower", "a follow-up runs as the next turn"]
    ] as const) {
      await visited.tab.reload()
      await filter(word).click()
      assert.strictEqual(await shown(visited.tab), 1)
      assert.include(await visited.tab.locator("details.scenario:visible h4").textContent(), name)
    }
    const { tab } = visited
    await tab.locator(".row:visible [data-open]").click()
    await tab.locator(".wf-row").first().waitFor()
    assert.match(
      (await tab.locator("details.scenario[open] .failure").textContent()) ?? "",
      /^slower: 41 % longer in the last 2 nights than in the 28 nights before: /u
    )
    await using bare = await visit(url, { javaScriptEnabled: false })
    assert.strictEqual(await shown(bare.tab), 68)
    await bare.tab.locator("details.scenario > summary").first().click()
    assert.isTrue(await bare.tab.getByText("Difference:").first().isVisible())
    assert.strictEqual(await bare.tab.locator("button:visible").count(), 0)
  })

  it("the colours can be chosen", async () => {
    await using visited = await visit(write("green", greenNight()))
    const paper = () => visited.tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await visited.tab.getByRole("button", { name: "Dark" }).click()
    assert.notStrictEqual(await paper(), light)
  })

  it("of 2,000 trials a browser does the work only for what is looked at", async () => {
    const costOf = async (scenarios: number, trials: number) => {
      const url = write(`night-of-${scenarios}`, largeNight(scenarios, trials))
      await using visited = await visit(url, {}, () => {
        const { addEventListener } = EventTarget.prototype
        const listeners: Array<string> = []
        Object.assign(globalThis, { listeners })
        EventTarget.prototype.addEventListener = function (...args: Parameters<typeof addEventListener>) {
          listeners.push(args[0])
          return addEventListener.apply(this, args)
        }
      })
      const { tab } = visited
      assert.strictEqual(await tab.locator("details.scenario").count(), scenarios)
      const listeners = await tab.evaluate<Array<string>>("listeners")
      const [elements = 0, waterfalls] = await tab.evaluate(() =>
        ["*", ".wf"].map((selector) => document.querySelectorAll(selector).length)
      )
      const last = tab.locator("details.scenario > summary").last()
      const isDrawn = await last.evaluate((summary) => summary.checkVisibility({ contentVisibilityAuto: true }))
      return { elements, listeners, waterfalls, isDrawn }
    }
    const few = await costOf(4, 5)
    const many = await costOf(400, 5)
    assert.include(few.listeners, "click")
    assert.deepInclude(many, { listeners: few.listeners, waterfalls: 0, isDrawn: false })
    assert.isAtMost((many.elements - few.elements) / (396 * 5), 31)
  })
})
