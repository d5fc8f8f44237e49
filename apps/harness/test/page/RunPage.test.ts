import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Findings from "@webagent/findings/Findings"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import { note, notRun } from "@webagent/findings/words/Notes"
import * as UsageText from "@webagent/findings/words/UsageText"
import type { Night } from "@webagent/nights/Night"
import type { RunReport } from "@webagent/report/RunReport"
import { open } from "@webagent/test-chromium"
import axe from "axe-core"
import * as Effect from "effect/Effect"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import * as ExportFile from "../../src/page/ExportFile.ts"
import * as RunPage from "../../src/page/RunPage.ts"
import * as Screens from "../../src/page/Screens.ts"
import { cut } from "../reporters/fixture.ts"
import { datedNight, greenNight, largeNight, linkOf, monthBefore, redNight, replay } from "./stories.ts"
import { tracesOf } from "./traces.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-page-"))
let browser: Browser
let bundle: Screens.Bundle | undefined

beforeAll(async () => {
  await Effect.runPromise(Effect.provide(Screens.build, NodeServices.layer))
  bundle = await Effect.runPromise(Effect.provide(Screens.bundle, NodeServices.layer))
  browser = await open()
}, 240_000)
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

const dataOf = (report: RunReport, nights: ReadonlyArray<Night> = monthBefore(report)) =>
  RunPage.dataOf({
    id: "tonight",
    // as a run writes it
    report: { ...report, findings: Findings.of(report) },
    traces: tracesOf(report),
    nights,
    isRecorded: true,
    linkOf,
    replay,
    reap: "harness cleanup --ledger tonight",
    commands: { program: "npm run harness --", history: "", quarantine: "" },
    files: ["junit.xml"]
  })

const write = (name: string, report: RunReport, nights?: ReadonlyArray<Night>): string => {
  const path = join(folder, `${name}.html`)
  writeFileSync(path, ExportFile.render(dataOf(report, nights), bundle))
  return path
}

const visit = async (
  path: string,
  test: (page: Page) => Promise<void>,
  { hash = "", ...options }: BrowserContextOptions & { readonly hash?: string } = {}
) => {
  const context = await browser.newContext({ offline: true, reducedMotion: "reduce", ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  const problems: Array<string> = []
  page.on("pageerror", ({ message }) => problems.push(message))
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
  page.on("request", (request) => /^(?:file|data):/u.test(request.url()) || problems.push(request.url()))
  try {
    await page.goto(`${pathToFileURL(path).href}${hash}`)
    await test(page)
    assert.deepEqual(problems, [])
  } finally {
    await context.close()
  }
}

const checkAccessibility = async (page: Page) => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`),
    []
  )
}

const trialLink = (report: RunReport) => {
  const bad = report.results.find(({ verdict }) => verdict === "failed" || verdict === "flaky")
  if (bad === undefined) throw new Error("the night is red")
  return { bad, address: `/trial/tonight?${new URLSearchParams({ suite: bad.suite, name: bad.name })}` }
}

describe("a run's page", () => {
  it("begins with the run, its findings and every part of the report", { timeout: 60_000 }, () =>
    visit(write("red", redNight(10)), async (page) => {
      await page.getByRole("heading", { name: /error/u }).first().waitFor()
      assert.include(page.url(), "#/runs/tonight")
      const text = (await page.locator("main").textContent()) ?? ""
      for (const part of ["Ran", "Sent", "Cost", "Usage and limits", "Statistics", "Compared with", "Run files"])
        assert.include(text, part)
      const junit = page.getByRole("link", { name: "junit.xml" })
      assert.strictEqual(await junit.getAttribute("href"), "junit.xml")
      assert.strictEqual(await page.getByRole("link", { name: /^(?:Suites|Load tests)$/u }).count(), 0)
      await page.getByLabel("Scenario", { exact: true }).fill("mug")
      await page.getByText(/^1 of \d+ scenarios/u).waitFor()
    })
  )

  it(
    "opens the trial of a notification's link, with its waterfall, its replay and earlier nights",
    { timeout: 60_000 },
    async () => {
      const report = redNight(4)
      const { address, bad } = trialLink(report)
      await visit(
        write("linked", report),
        async (page) => {
          await page.locator("svg rect").first().waitFor()
          await page.getByText(replay(bad)).first().waitFor()
          await page
            .getByText(/in \d+ nights$/u)
            .first()
            .waitFor()
          const [saved] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Save as HAR" }).click()
          ])
          assert.match(saved.suggestedFilename(), /\.har$/u)
        },
        { hash: `#${encodeURIComponent(address)}` }
      )
    }
  )

  it("shows each known issue in one line", { timeout: 60_000 }, () =>
    visit(write("known", redNight(4)), async (page) => {
      const notes = Findings.notesOf(redNight(4)).flatMap((finding) => note(finding) ?? [])
      assert.isNotEmpty(notes)
      await page.getByText("that need no attention").click()
      for (const one of notes) await page.getByText(one).waitFor()
    })
  )

  it("opens the trial that leaked, which is shown as failed", { timeout: 60_000 }, () => {
    const address = `/trial/tonight?${new URLSearchParams({ suite: "v4-browsers", name: "forgets to stop its browser" })}`
    return visit(
      write("leaked", redNight(1)),
      async (page) => {
        await page.getByText("trial 2", { exact: true }).waitFor()
        await page
          .getByText(/^The scenario didn't stop browser \S+; the harness stopped it after the trial\.$/u)
          .waitFor()
        const trials = page.getByRole("navigation", { name: "Trials" }).getByRole("link")
        assert.deepEqual(
          (await trials.allTextContents()).map((text) => text.replaceAll(/[^a-z0-9]/gu, "")),
          ["1passed", "2failed"]
        )
      },
      { hash: `#${address}` }
    )
  })

  const green = greenNight(4)
  const uncompared = { verdict: "not enough data", nights: 4, passedOver: [], differences: [], rows: [] } as const

  it("shows requests, time and cost next to the usual ones in its header", { timeout: 60_000 }, async () => {
    const figure = (median: number) => ({ low: median, median, high: median })
    const usual = { requests: figure(460), duration_ms: figure(724_000), cost_usd: figure(0.01) }
    const report = { ...green, judgement: { ...uncompared, nights: 9, usual } }
    await visit(write("usual", report), async (page) => {
      const head = page.locator("header").filter({ has: page.locator("h1") })
      for (const used of Object.values(UsageText.of(report))) {
        const text = UsageText.usualText(used)
        assert.isDefined(text)
        await head.getByText(`${UsageText.text(used)}, ${text}`, { exact: true }).waitFor()
      }
      assert.strictEqual(await head.locator("[data-far=true]").count(), 1)
    })
  })

  const interrupted = { trials: 7, most_usd: "0.50" }
  const resumed = [{ at: "2026-11-21T03:00:00.000Z", kept: 5, after_ms: 1000, cut: interrupted }]
  const leftover = {
    kind: "run",
    id: "r-1",
    trial: null,
    sentence: "The run r-1 is still running.",
    state: "open"
  } as const
  const [unrun] = Findings.notesOf(cut).flatMap((finding) => notRun(finding) ?? [])
  for (const [name, report, reason] of [
    [
      "a resumed night whose interrupted trials may have cost money",
      { ...green, header: { ...green.header, resumed } },
      InterruptedTrialsText.text(interrupted)
    ],
    [
      "a night without comparison",
      { ...green, judgement: uncompared },
      HistoryLines.uncompared({ judgement: uncompared })
    ],
    ["a night that a limit ended early", cut, unrun]
  ] as const) {
    it(`explains ${name}, and doesn't claim that there is nothing to do`, { timeout: 60_000 }, () =>
      visit(write("doubts", report, []), async (page) => {
        await page.getByText("No findings").waitFor()
        assert.isDefined(reason)
        await page.getByLabel("About this run").getByText(reason).waitFor()
        assert.strictEqual(await page.getByText("Nothing to do").count(), 0)
        assert.strictEqual(await page.getByText("need no attention").count(), 0)
      })
    )
  }

  it("suggests an action after a night that left resources open", { timeout: 60_000 }, () =>
    visit(write("open", { ...green, leftovers: [leftover] }, []), async (page) => {
      await page.getByText("1 resource may still be running and cost money.").waitFor()
      assert.strictEqual(await page.getByText("Nothing to do").count(), 0)
    })
  )

  it("opens the run with a truncated link", { timeout: 60_000 }, () =>
    visit(
      write("cut-link", redNight(1)),
      async (page) => {
        await page.getByText("Usage and limits").waitFor()
        assert.include(page.url(), "#/runs/tonight")
      },
      { hash: "#%2Ftrial%2Ftonight%3Fsuite%3" }
    )
  )

  it("links to earlier nights and their own reports", { timeout: 60_000 }, async () => {
    const report = datedNight(4)
    const nights = monthBefore(report)
    await visit(write("dated", report), async (page) => {
      await page.getByRole("link", { name: "Nights", exact: true }).click()
      await page.getByRole("grid").waitFor()
      await page.getByRole("link", { name: "List of nights" }).click()
      await page.getByText(/nights? failed/u).waitFor()
      const links = await page
        .getByRole("link", { name: "report", exact: true })
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")))
      assert.deepEqual(links, ["#/runs/tonight", ...nights.toReversed().map(linkOf)])
    })
  })

  for (const [name, options] of [
    ["light", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
    ["dark, on a phone", { colorScheme: "dark", viewport: { width: 390, height: 844 } }]
  ] as const) {
    it(
      `passes axe after a failed and a passed night, ${name}, and nothing is wider than the screen`,
      { timeout: 90_000 },
      async () => {
        const report = redNight(4)
        const red = write("axe", report)
        for (const [path, hash, ready] of [
          [red, "", "Usage and limits"],
          [red, `#${trialLink(report).address}`, "Requests, spans and journal"],
          [red, "#/nights", "List of nights"],
          [write("green", greenNight(4)), "", "Nothing to do"]
        ] as const) {
          await visit(
            path,
            async (page) => {
              await page.getByText(ready).first().waitFor()
              await checkAccessibility(page)
              const width = await page.evaluate(() => document.documentElement.scrollWidth)
              assert.isAtMost(width, options.viewport.width)
            },
            { ...options, hash }
          )
        }
      }
    )
  }

  it("has less than six megabytes for 2,000 trials, and opens", { timeout: 60_000 }, async () => {
    const path = write("large", largeNight(400, 5))
    assert.isBelow(statSync(path).size, 6_000_000)
    await visit(path, async (page) => {
      await page.getByText("400 scenarios").first().waitFor()
    })
  })

  it("explains how to build the screens if a clone has not, and uses them later", { timeout: 60_000 }, async () => {
    const path = join(folder, "unbuilt.html")
    writeFileSync(path, ExportFile.render(dataOf(redNight(2)), undefined))
    await visit(path, async (page) => {
      await page.getByText("npm run harness -- show-report").waitFor()
    })
    const page = readFileSync(path, "utf8")
    assert.isTrue(ExportFile.isUnbuilt(page))
    if (bundle === undefined) throw new Error("the screens are built")
    writeFileSync(path, ExportFile.complete(page, bundle))
    assert.isFalse(ExportFile.isUnbuilt(readFileSync(path, "utf8")))
    // a scenario may have any name, such as the text of that page
    const [, sentence = ""] = /<div id="root">(.+)<\/div>/u.exec(page) ?? []
    assert.isNotEmpty(sentence)
    const report = redNight(1)
    const results = report.results.map((result) => ({ ...result, name: `<div id="root">${sentence}</div>` }))
    assert.isFalse(ExportFile.isUnbuilt(ExportFile.render(dataOf({ ...report, results }), bundle)))
    await visit(path, async (built) => {
      await built.getByText("Usage and limits").waitFor()
    })
  })
})
