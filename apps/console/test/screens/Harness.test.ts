import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { useHarness } from "../harness/Page.ts"
import { lastRun, liveRun, nameOf } from "../harness/world/Facts.ts"
import { queryOf } from "../../src/harness/state/address.ts"
import { hostile } from "../server/World.ts"
import { checkAccessibility, isWhole, looks } from "./Console.ts"

/** The address behind the # of a page. */
const at = (page: Page): string => decodeURIComponent(new URL(page.url()).hash.slice(1)).replaceAll("+", " ")

/** The rows about whole nights, above those of scenarios. */
const wholeRows = 6

/** Moves from the head of the first row to the newest cell of a scenario, by its place among them. */
const toCell = async (page: Page, scenario: number) => {
  const grid = page.getByRole("grid")
  await grid.focus()
  await page.keyboard.press("ArrowRight")
  for (let row = 0; row < wholeRows + scenario; row++) await page.keyboard.press("ArrowDown")
  const id = (await grid.getAttribute("aria-activedescendant")) ?? ""
  return (await page.locator(`[id="${id}"]`).textContent()) ?? ""
}

describe("nights", () => {
  const { visit } = useHarness()

  it("are filtered in the address, which the Back button and a reload keep", () =>
    visit("/", async (page) => {
      await page.getByLabel("Only problems").check()
      await page.getByText("3 scenarios of 40").waitFor()
      assert.strictEqual(at(page), "/?red=true")
      await page.reload()
      await page.getByText("3 scenarios of 40").waitFor()
      await page.getByLabel("Scenario", { exact: true }).fill("bank")
      await page.getByText("1 scenario of 40").waitFor()
    }))

  it("are operated using only the keyboard, and a cell opens the trial that failed", () =>
    visit("/", async (page) => {
      // the first row is the false success of tonight
      assert.match(await toCell(page, 0), /false success/u)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "the cart was empty" }).waitFor()
      assert.strictEqual(at(page), `/trial/${lastRun}?suite=${nameOf(4).suite}&name=${nameOf(4).name}`)
      await page.goBack()
      await page.getByRole("grid").waitFor()
    }))

  it.runIf(isWhole)("open a cell under the pointer, and describe it", () =>
    visit("/", async (page) => {
      const box = await page.getByRole("grid").boundingBox()
      if (box === null) return assert.fail()
      await page.mouse.move(box.x + 300 + 15, box.y + 44 + 24 * wholeRows + 12)
      await page.getByText("false success, 0 of 5 trials passed").first().waitFor()
      await page.mouse.click(box.x + 300 + 15, box.y + 44 + 24 * wholeRows + 12)
      await page.getByRole("heading", { name: "the cart was empty" }).waitFor()
    })
  )

  it.runIf(isWhole)("show durations and costs as multiples of each scenario's median", () =>
    visit("/", async (page) => {
      await page.getByLabel("Show").selectOption("Duration per trial")
      assert.strictEqual(at(page), "/?show=duration")
      await page.getByText("near the median").waitFor()
      assert.match(await toCell(page, 0), /^2\.6 s, 1\.9 times the median of 1\.3 s/u)
      await page.getByLabel("Show").selectOption("Cost of all trials")
      await page
        .getByText(/times the median of 0\.06\d* USD|times the median of/u)
        .first()
        .waitFor({ state: "attached" })
    })
  )

  it.runIf(isWhole)(
    "have rows about whole nights: trials, failures, duration, cost, outages and the service's version",
    () =>
      visit("/", async (page) => {
        const grid = page.getByRole("grid")
        await grid.focus()
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("ArrowRight")
        const told: Array<string> = []
        for (let row = 0; row < wholeRows; row++) {
          const id = (await grid.getAttribute("aria-activedescendant")) ?? ""
          told.push((await page.locator(`[id="${id}"]`).textContent()) ?? "")
          await page.keyboard.press("ArrowDown")
        }
        assert.match(told.join("\n"), /^\d+ of 200 trials passed\n\d scenarios? failed, \d flaky\n/u)
        assert.match(told[2] ?? "", /^\d+ min \d\d s, \d\.\d times the median of .*, worse than before$/u)
        assert.match(told[3] ?? "", /^3\.\d\d USD, \d\.\d times the median/u)
        assert.strictEqual(told[4], "unreachable 02:10:00 to 02:31:00 UTC (21 min 00 s)")
        assert.strictEqual(told[5], "service 1.4, suites at 9b1d77c")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Enter")
        await page.getByText("This run's report is gone").waitFor()
        await page.goto(page.url().replace(/#.*/u, "#/nights"))
        await page.getByText(/^\d+ of 60 nights failed/u).waitFor()
      })
  )

  it("have the same cost in the list and on their own page", () =>
    visit("/nights", async (page) => {
      const row = page.getByRole("row").nth(1)
      const cost =
        (await row
          .getByText(/^\d[\d.]* USD/u)
          .first()
          .textContent()) ?? assert.fail("no cost")
      await row.getByRole("link").first().click()
      await page.getByText("Seed", { exact: true }).waitFor()
      const fact = page.locator("dt", { hasText: /^Cost$/u }).locator("+ dd")
      assert.strictEqual(
        cost.startsWith((await fact.textContent()) ?? "none"),
        true,
        `${await fact.textContent()} is not ${cost}`
      )
    }))

  for (const [what, path] of [
    ["a night", "/nights/a00000"],
    ["its run", `/runs/${lastRun}`]
  ] as const)
    it(`have the date in the head of ${what}`, () =>
      visit(path, async (page) => {
        const fact = page.locator("dt", { hasText: /^Started$/u }).locator("+ dd")
        assert.match((await fact.textContent()) ?? "", /^[A-Z][a-z]{2} \d\d?, 20\d\d, .* \(.*\)$/u)
      }))

  it("can be compared, any two of them", () =>
    visit("/", async (page) => {
      await page.getByText("Compare two nights").click()
      await page.getByLabel("Before").selectOption("a00005")
      await page.getByRole("link", { name: "Compare", exact: true }).click()
      await page.getByText("worse: 1 newly failing scenario").waitFor()
      assert.strictEqual(at(page), "/compare/a00000?before=a00005")
      await page.getByText("tool 0.1.0, was 0.0.9").waitFor()
      const figures = page.getByRole("region", { name: "Figures" })
      await figures.getByRole("link").first().waitFor()
    }))

  it.runIf(isWhole)("keep few elements in the page, however many cells there are", () =>
    visit(
      "/",
      async (page) => {
        const grid = page.getByRole("grid")
        await grid.waitFor()
        const shown = () => grid.evaluate((element) => element.querySelectorAll("*").length)
        const before = await shown()
        await grid.evaluate((element) => element.scrollTo(9000, 9000))
        await page.waitForTimeout(200)
        assert.isBelow(Math.max(before, await shown()), 700)
        assert.strictEqual(await grid.getAttribute("aria-rowcount"), String(501 + wholeRows))
        assert.strictEqual(await grid.getAttribute("aria-colcount"), "366")
      },
      undefined,
      { scenarios: 500, nights: 365 }
    )
  )
})

describe("findings", () => {
  const { visit } = useHarness()

  it("are acknowledged and quarantined with an owner and a date", () =>
    visit(`/runs/${lastRun}`, async (page, { world }) => {
      const leak = page.getByRole("listitem").filter({ hasText: "browser leak" })
      await leak.getByRole("button", { name: "Quarantine…" }).click()
      await page.getByLabel("Owner").fill("eve")
      await page.getByLabel("Reason").fill("SHOP-13")
      await page.getByLabel("Until").fill("2026-12-10")
      await page.getByRole("button", { name: "Quarantine", exact: true }).click()
      await page.getByText("Quarantined until 2026-12-10").waitFor()
      await page.getByRole("button", { name: "Acknowledge…" }).first().click()
      await page.getByRole("form", { name: "Acknowledge" }).getByLabel("Owner").fill("ada")
      await page.getByRole("button", { name: "Acknowledge", exact: true }).click()
      await page.getByText("Acknowledged by ada").waitFor()
      // the report was written before both
      await leak.getByText(/until 2026-12-10 by eve/u).waitFor()
      assert.strictEqual(await leak.getByRole("button", { name: "Quarantine…" }).count(), 0)
      await page.reload()
      await page
        .getByText(/ada has been working on it since/u)
        .first()
        .waitFor()
      assert.deepStrictEqual(world.changes, [
        {
          what: "quarantine",
          value: {
            suite: nameOf(5).suite,
            scenario: nameOf(5).name,
            owner: "eve",
            reason: "SHOP-13",
            expires: "2026-12-10"
          }
        },
        { what: "acknowledge", value: { night_id: "a00000", owner: "ada", scenario: nameOf(4) } }
      ])
    }))

  it.runIf(isWhole)("show the changes, who works on them, and whether they may be ignored", () =>
    visit(`/runs/${lastRun}`, async (page) => {
      const finding = page.getByRole("listitem").filter({ hasText: "the cart was empty" }).first()
      await finding.getByText("ada has been working on it since 2026-11-25: SHOP-14").waitFor()
      await page.getByText("service from 1.4 to 1.5").first().waitFor()
      const compared = page.getByRole("link", { name: /^https:\/\/forge\.example\.com/u }).first()
      assert.strictEqual(
        await compared.getAttribute("href"),
        "https://forge.example.com/shop/tests/-/compare/3f0c1a29e8...9b1d77c0aa"
      )
      await finding.getByText("No. Every night fails until it's fixed. If the problem is known").waitFor()
      await finding
        .getByText(/^Command/u)
        .first()
        .click()
      await finding.getByText("npx webagent-harness quarantine add").waitFor()
      await page.getByText("No, unless it's intended").waitFor()
    })
  )

  it.runIf(isWhole)("explain why a change was refused", () =>
    visit("/nights/a00000", async (page, { behavior }) => {
      behavior.isReadOnly = true
      await page.getByRole("button", { name: "Accept the new level…" }).click()
      await page.getByRole("button", { name: "Accept", exact: true }).click()
      await page.getByText("The folder is read-only.").waitFor()
    })
  )
})

describe("a trial", () => {
  const { visit } = useHarness()

  it("shows pictures of its browser, earlier attempts, links and broken invariants in words", () =>
    visit(`/trial/${lastRun}${queryOf({ ...nameOf(4) })}`, async (page) => {
      await page.getByText("Browser b-9 was open, and no trial created it.").waitFor()
      await page.getByRole("heading", { name: "1 earlier attempt" }).waitFor()
      await page.getByText("HTTP 503").first().waitFor()
      await page.getByText("Recording:").waitFor()
      const picture = page.getByRole("img", { name: "The browser at step 2" })
      await picture.waitFor()
      // a canvas without a picture is 300 pixels wide
      await page.waitForFunction(() => document.querySelector("canvas")?.width === 1)
    }))
})

describe("load tests", () => {
  const { visit } = useHarness()

  it.runIf(isWhole)("show how two services compare, with interval, smallest detectable change and verdict", () =>
    visit("/load", async (page) => {
      const services = page.getByRole("region", { name: "Two services compared" })
      await services.getByRole("link", { name: "smoke" }).click()
      await page.getByText("B is worse").waitFor()
      const row = page.getByRole("row").filter({ hasText: "request p95" })
      assert.match((await row.textContent()) ?? "", /11\d ms.*16\d ms.*1\.4\d \(\+4\d %\).*\+\d+ % to \+\d+ %.*WORSE/u)
    })
  )

  it("wrap the name of a column on a phone, next to a number that stays on one line", () =>
    visit(
      "/load-comparison/ab-1?test=smoke",
      async (page) => {
        const cell = page.locator('td[data-name="Smallest detectable change"]').first()
        const [value, name] = await cell.evaluate((one) =>
          [undefined, "::before"].map((part) => getComputedStyle(one, part).whiteSpace)
        )
        assert.deepStrictEqual([value, name], ["nowrap", "normal"])
      },
      looks.phone
    ))

  it("compare any two runs of a test, and explain why one run of each can't tell", () =>
    visit("/load/load-1?test=smoke", async (page) => {
      await page
        .getByRole("region")
        .or(page.locator("section"))
        .filter({ hasText: "Compare with another run" })
        .getByRole("link")
        .first()
        .click()
      await page.getByText("cannot tell: one run of each").waitFor()
      assert.strictEqual(at(page), "/load-comparison/load-1?test=smoke&before=load-0")
      await page.getByText("rate 5, was 4").waitFor()
      await page.getByRole("region", { name: "Thresholds" }).getByText("118 ms ✗ crossed").first().waitFor()
      await page.getByRole("link", { name: "Swap" }).click()
      await page.getByText("cannot tell: one run of each").waitFor()
      assert.strictEqual(at(page), "/load-comparison/load-0?test=smoke&before=load-1")
    }))

  it("are read and compared using only the keyboard", () =>
    visit("/load", async (page) => {
      const press = async (key: string, ready: string) => {
        await page.keyboard.press(key)
        await page.getByText(ready).first().waitFor()
      }
      await page.getByRole("link", { name: "smoke" }).first().waitFor()
      await page.keyboard.press("j")
      await press("Enter", "Compare with another run")
      const seen: Array<string | null | undefined> = []
      // links of the head come first
      while (!seen.includes("Baseline") && seen.length < 12) {
        await page.keyboard.press("Tab")
        seen.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      }
      assert.deepStrictEqual(seen.slice(-3), ["Thresholds", "Percentiles", "Baseline"])
      await page.keyboard.press("j")
      await press("Enter", "cannot tell: one run of each")
      assert.strictEqual(at(page), "/load-comparison/load-1?test=smoke&before=load-0")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await page.waitForURL(/load-comparison\/load-0/u)
    }))
})

describe("a run's screens", () => {
  const { visit } = useHarness()

  it("keep the filters and the selected row in the address, which a reload preserves", () =>
    visit(`/runs/${lastRun}`, async (page) => {
      await page.getByLabel("Show", { exact: true }).selectOption("false success")
      await page.getByLabel("Scenario", { exact: true }).fill("a")
      await page
        .getByRole("status")
        .getByText(/^\d+ of 40 scenarios/u)
        .waitFor()
      assert.strictEqual(at(page), `/runs/${lastRun}?only=false success&text=a`)
      await page.reload()
      await page
        .getByRole("status")
        .getByText(/^\d+ of 40 scenarios/u)
        .waitFor()
      assert.strictEqual(await page.getByLabel("Show", { exact: true }).inputValue(), "false success")
      await page.goto(page.url().replace(/#.*/u, `#/trial/${lastRun}${queryOf({ ...nameOf(4) })}`))
      const rows = page.getByRole("group", { name: "Requests, spans and journal" }).getByRole("button")
      await rows.nth(2).click()
      assert.match(at(page), /&row=3$/u)
      await page.reload()
      await rows.nth(2).waitFor()
      assert.strictEqual(await rows.nth(2).getAttribute("aria-pressed"), "true")
    }))
})

describe("a project without nights", () => {
  const { visit } = useHarness({ scenarios: 0, program: "npm run harness --" })

  it("shows the whole command that records one", () =>
    visit("/", async (page) => {
      const command = page.getByRole("region", { name: "Command that records a night" })
      assert.strictEqual(await command.innerText(), "npm run harness -- run --record")
      assert.isAbove((await command.boundingBox())?.width ?? 0, 250)
    }))
})

describe("suites", () => {
  const { visit } = useHarness()

  it("run the selected scenarios, and show the command for the same", () =>
    visit("/suites?text=bank", async (page, { world }) => {
      await page.getByLabel(`Select ${nameOf(2).name}`, { exact: true }).check()
      await page.getByText(`--name '${nameOf(2).name}'`).waitFor()
      const run = page.getByRole("button", { name: "Run 1 scenario" })
      for (const wrong of ["-1", "abc", "0", "2.5", "99999"]) {
        await page.getByLabel("Trials").fill(wrong)
        await page.getByText("Enter a whole number from 1 to 1000").waitFor()
        assert.isTrue(await run.isDisabled(), wrong)
      }
      await page.getByLabel("Trials").fill("3")
      await run.click()
      await page.getByText("Waiting for the first event").waitFor()
      assert.strictEqual(at(page), `/runs/${liveRun}`)
      assert.deepStrictEqual(world.changes, [
        {
          what: "start",
          value: { suites: ["suites/bank.suite.ts"], scenarios: [{ suite: "bank", name: nameOf(2).name }], trials: 3 }
        }
      ])
    }))
})

describe("a running run", () => {
  const { visit } = useHarness()

  it("shows trials as they progress, catches up after an interruption and mentions it, and stops", () =>
    visit(`/runs/${liveRun}`, async (page, { behavior, cut, finishTrial, startTrial, world }) => {
      startTrial(2, 0)
      await page.getByText("0 trials done, 1 running").waitFor()
      await page.getByText("/v4/runs/7f0c/status").first().waitFor()
      // however long this test waits, the page isn't back before both events
      behavior.isAway = true
      cut()
      await page.getByText("Offline").waitFor()
      finishTrial(2, 0)
      startTrial(2, 1)
      behavior.isAway = false
      await page.getByText("1 trial done, 1 running, 1 not passed").waitFor()
      await page.getByText(/The connection was lost for \d+ s. Caught up with 2 events of this run/u).waitFor()
      await page.reload()
      await page.getByText("1 trial done, 1 running, 1 not passed").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("Run stopped. Its report was written.").waitFor()
      assert.deepStrictEqual(world.changes, [{ what: "stop", value: liveRun }])
    }))
})

describe("a command that has stopped", () => {
  const { visit } = useHarness()

  for (const [what, path, names] of [
    ["a run", `/runs/${liveRun}`, ["Stop"]],
    ["a finished run", `/runs/${lastRun}`, ["Run again", /^Run the \d+ that didn't pass$/u]],
    ["suites", "/suites?text=bank", ["Run 1 scenario"]]
  ] as const)
    it.runIf(isWhole || what === "a run")(`turns the buttons of ${what} off, and on again once it's back`, () =>
      visit(path, async (page, { behavior, cut }) => {
        await page.getByText("Live", { exact: true }).waitFor({ state: "attached" })
        if (what === "suites") await page.getByLabel(`Select ${nameOf(2).name}`, { exact: true }).check()
        const buttons = names.map((name) => page.getByRole("button", { name, exact: true }))
        for (const button of buttons) assert.isTrue(await button.isEnabled())
        behavior.isAway = true
        cut()
        await page.getByText(/^The server isn't responding, so buttons that need it are disabled/u).waitFor()
        for (const button of buttons) assert.isTrue(await button.isDisabled())
        await checkAccessibility(page, what)
        behavior.isAway = false
        await page.getByText(/^The server isn't responding/u).waitFor({ state: "detached" })
        for (const button of buttons) assert.isTrue(await button.isEnabled())
      })
    )
})

describe("a running trial", () => {
  const { visit } = useHarness()

  it("shows its requests, the agent's steps and its browser as they happen, and the report when the run has finished", () =>
    visit(`/runs/${liveRun}`, async (page, { finishTrial, startTrial, step }) => {
      startTrial(2, 0)
      step(2, 0, 1)
      await page.getByText("Step 1: Opens page 1").waitFor()
      await page.getByRole("link", { name: "Watch trial 1" }).click()
      await page.getByRole("button", { name: /GET \/v4\/runs\/7f0c\/result in flight/u }).click()
      await page.getByText("not yet").waitFor()
      const steps = page.locator("section").filter({ hasText: "Agent of run 7f0c11aa-3f5: 1 steps" })
      await steps.getByText("Opens page 1").waitFor()
      await page.waitForFunction(() => (document.querySelector("canvas")?.width ?? 0) > 300)
      step(2, 0, 3)
      await page.getByText("Opens page 3").first().waitFor()
      assert.strictEqual(await page.getByRole("img", { name: "The browser at step 3" }).count(), 1)
      finishTrial(2, 0)
      await page.getByText("It has finished.").waitFor()
      // a reload gets the steps again from the events
      await page.reload()
      await page.getByText("Opens page 3").first().waitFor()
    }))
})

describe("a page of a restarted command", () => {
  const { visit } = useHarness()

  it.runIf(isWhole)("reports that its session is over, and accepts the new address in the same tab", () =>
    visit(`/runs/${liveRun}`, async (page, { behavior, cut }) => {
      await page.getByText("Live", { exact: true }).waitFor()
      behavior.isSignedOut = true
      cut()
      await page.goto(page.url().replace(/#.*/u, "#/runs"))
      await page.getByText("This page has no session.").waitFor()
      await page.goto(page.url().replace(/#.*/u, "#token=new"))
      await page.getByRole("heading", { name: "Nights" }).waitFor()
      await page.getByText("Live", { exact: true }).waitFor()
      assert.notInclude(page.url(), "token")
    })
  )

  it.runIf(isWhole)("reruns a finished run, all of it or the scenarios that didn't pass", () =>
    visit(`/runs/${lastRun}`, async (page, { world }) => {
      await page.getByRole("button", { name: "Run again" }).click()
      await page.getByText("Waiting for the first event").waitFor()
      const [{ value } = { value: undefined }] = world.changes
      assert.lengthOf((value as { readonly scenarios: ReadonlyArray<unknown> }).scenarios, 40)
    })
  )
})

describe("untrusted texts in the harness's screens", () => {
  const { visit } = useHarness()
  const scenario = queryOf({ ...nameOf(7) })
  const most = [`/runs/${lastRun}`, `/trial/${lastRun}${queryOf({ ...nameOf(2) })}`]
  const others = [
    "/",
    `/scenario${scenario}`,
    "/suites",
    "/compare/a00000?before=a00001",
    `/?text=${encodeURIComponent(hostile[0])}`,
    "/runs/%22%3E%3Cscript%3EglobalThis.pwned=1%3C%2Fscript%3E"
  ]
  for (const path of isWhole ? [...most, ...others] : most) {
    it(`are shown as plain text at ${path.slice(0, 60)}`, () =>
      visit(path, async (page) => {
        await page.waitForTimeout(500)
        const state = await page.evaluate(() => ({
          pwned: (globalThis as { pwned?: number }).pwned,
          scripts: [...document.querySelectorAll("script")].filter(({ src }) => !src.startsWith(location.origin))
            .length,
          links: [...document.querySelectorAll("a")].map(({ href, rel, target }) => ({ href, rel, target })),
          images: [...document.images].map(({ src }) => src),
          handlers: document.querySelectorAll("[onerror],[onload],[onclick],iframe,object,embed").length
        }))
        assert.isUndefined(state.pwned)
        assert.deepStrictEqual([state.scripts, state.handlers], [0, 0])
        const { origin } = new URL(page.url())
        for (const { href, rel, target } of state.links) {
          assert.match(href, /^https?:/u)
          if (!href.startsWith(origin))
            assert.deepStrictEqual({ rel, target }, { rel: "noopener noreferrer", target: "_blank" })
        }
        for (const src of state.images) assert.isTrue(src.startsWith(origin), src)
      }))
  }
})
