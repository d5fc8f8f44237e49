import { strFromU8, unzipSync } from "fflate"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { recordedRun } from "../server/World.ts"
import { checkAccessibility, checkWidth, isWhole, looks, runId, useConsole, widths } from "./Console.ts"

const waitForStep = (page: Page, number: number) =>
  page.waitForFunction(
    (text) => document.querySelector('[aria-current="step"]')?.textContent?.startsWith(text),
    String(number)
  )

const save = async (page: Page, name: string) => {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()])
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
}

describe("a run's timeline", () => {
  const { visit } = useConsole()

  it("shows the page before and after a step under the pointer, and opens the step with a click", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      const strip = page.getByRole("slider", { name: "Step on the timeline" })
      const { height = 0, width = 0 } = (await strip.boundingBox()) ?? {}
      await strip.hover({ position: { x: 2, y: height / 2 } })
      await page.getByText("Before", { exact: true }).first().waitFor()
      // an odd step has a picture, and the even one after it hasn't
      assert.deepStrictEqual(await page.locator("figcaption:visible").allTextContents(), ["Before", "Before"])
      await strip.click({ position: { x: 2, y: height / 2 } })
      await waitForStep(page, 1)
      await strip.hover({ position: { x: width - 2, y: height / 2 } })
      await page.getByText("Step 9", { exact: true }).first().waitFor()
    }))

  it("is used with the keyboard, and names the step that it shows", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      const strip = page.getByRole("slider", { name: "Step on the timeline" })
      await strip.focus()
      await page.keyboard.press("Home")
      assert.match((await strip.getAttribute("aria-valuetext")) ?? "", /^Step 1: /u)
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("ArrowRight")
      assert.strictEqual(await strip.getAttribute("aria-valuenow"), "3")
      await waitForStep(page, 3)
      await page.keyboard.press("End")
      await waitForStep(page, 9)
    }))
})

describe("a run on a phone", () => {
  const { visit } = useConsole()
  for (const [what, path] of [
    ["a run", `/runs/${runId(3)}`],
    ["a shared run", `/share/${runId(3)}#token-1`]
  ] as const) {
    it.runIf(isWhole)(`shows why ${what} failed above its steps`, () =>
      visit(
        path,
        async (page, { world }) => {
          world.share(runId(3))
          await page.reload()
          const cause = await page.getByRole("region", { name: "Why it failed" }).boundingBox()
          const filter = await page.getByPlaceholder("Search steps").boundingBox()
          assert.isBelow(cause?.y ?? Infinity, filter?.y ?? 0)
        },
        looks.phone
      )
    )
  }
})

describe("the list of steps", () => {
  const { visit } = useConsole()
  const numbers = async (page: Page) =>
    (await page.locator("li button[class*=step] > span:first-child").allTextContents()).map(Number)

  it("can be searched, and limited to failed steps", () =>
    visit(`/runs/${runId(3)}`, async (page) => {
      await page.locator("li button").nth(8).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("table prices")
      await page.getByText("2 of 9 steps").waitFor()
      assert.deepStrictEqual(await numbers(page), [2, 6])
      await page.getByRole("searchbox").fill("")
      await page.getByRole("button", { name: "Failed (1)" }).click()
      await page.getByText("1 of 9 steps").waitFor()
      await page.getByRole("searchbox").fill("none of these")
      await checkAccessibility(page, "steps without a match")
      await page.getByRole("button", { name: "Show all steps" }).click()
      await page.locator("li button").nth(8).waitFor()
    }))

  it("can be limited to a range that is dragged over the timeline, or selected with the keyboard", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      const strip = page.getByRole("slider", { name: "Step on the timeline" })
      await strip.waitFor()
      const { height = 0, width = 0, x = 0, y = 0 } = (await strip.boundingBox()) ?? {}
      await page.mouse.move(x + 1, y + height / 2)
      await page.mouse.down()
      await page.mouse.move(x + width / 2, y + height / 2, { steps: 5 })
      await page.mouse.up()
      await page.getByText(/^6 of 9 steps$/u).waitFor()
      await checkAccessibility(page, "a range of the timeline")
      const shown = await numbers(page)
      assert.deepStrictEqual(
        shown,
        Array.from(shown, (_, index) => index + 1)
      )
      await page.getByRole("button", { name: "Clear the range" }).click()
      await page.locator("li button").nth(8).waitFor()
      await strip.focus()
      await page.keyboard.press("Home")
      await page.keyboard.press("ArrowRight")
      await page.keyboard.press("Shift+ArrowRight")
      await page.keyboard.press("Shift+ArrowRight")
      await page.getByText("3 of 9 steps").waitFor()
      assert.deepStrictEqual(await numbers(page), [2, 3, 4])
      await page.keyboard.press("Escape")
      await page.locator("li button").nth(8).waitFor()
    }))
})

describe("the selected step", () => {
  const { visit } = useConsole()

  it("is in the address, which a reload preserves, and Back leads to the list", () =>
    visit("/runs?status=completed", async (page) => {
      await page.locator("[role=row] a").first().waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.locator("li button").first().waitFor()
      await page.locator("li button").nth(3).click()
      await page.waitForURL(/\/runs\/[\w-]+\?step=4$/u)
      await page.keyboard.press("k")
      await page.waitForURL(/\?step=3$/u)
      await page.reload()
      await waitForStep(page, 3)
      await page.getByRole("heading", { name: "Step 3", exact: true }).waitFor()
      await page.goBack()
      await page.waitForURL(/\/runs\?status=completed$/u)
    }))

  it("is in the address of a shared run, next to the token", () =>
    visit(`/share/${runId(3)}?step=2#token-1`, async (page, { world }) => {
      world.share(runId(3))
      await page.reload()
      await waitForStep(page, 2)
      await page.locator("li button").nth(4).click()
      await page.waitForURL(/\?step=5#token-1$/u)
      await page.reload()
      await waitForStep(page, 5)
    }))

  for (const step of ["99", "0", "x", "%22%3E"])
    it.runIf(isWhole)(`is the newest one if the address has the step ${step}`, () =>
      visit(`/runs/${runId(3)}?step=${step}`, (page) => waitForStep(page, 9).then(() => undefined))
    )
})

describe("a run's recording", () => {
  const { visit } = useConsole()

  it("goes to a selected step, and marks the step that it plays", () =>
    visit(`/runs/${recordedRun}`, async (page, { world }) => {
      const video = page.getByLabel("Browser recording")
      await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
      const run = world.runs.get(recordedRun)
      if (run === undefined) throw new Error("The run is missing")
      const steps = world.stepsOf(run)
      // the recording ends with the run, and is 42 s long
      const start_ms = Date.parse(run.finishedAt ?? "") - 42_000
      const secondsOf = (number: number) => (Date.parse(steps[number - 1]?.startedAt ?? "") - start_ms) / 1000
      const time = () => video.evaluate((player) => (player as HTMLVideoElement).currentTime)
      await page.locator("li button").nth(4).click()
      await page.waitForFunction(
        (at_s) => Math.abs((document.querySelector("video")?.currentTime ?? 0) - at_s) < 0.1,
        secondsOf(5)
      )
      await page.locator("li button").nth(1).click()
      await page.waitForFunction(
        (at_s) => Math.abs((document.querySelector("video")?.currentTime ?? 0) - at_s) < 0.1,
        secondsOf(2)
      )
      await video.evaluate((player) => {
        const { play } = player as HTMLVideoElement
        ;(player as HTMLVideoElement).playbackRate = 8
        return play.call(player)
      })
      await waitForStep(page, 4)
      assert.isAtLeast(await time(), secondsOf(4) - 0.5)
      await video.evaluate((player) => (player as HTMLVideoElement).pause())
      await checkAccessibility(page, "a run with a recording")
    }))
})

describe("a recording, used with the keyboard", () => {
  const { visit } = useConsole()

  it("goes to the step of j and of an arrow on the timeline, and again with Enter", () =>
    visit(`/runs/${recordedRun}`, async (page, { world }) => {
      await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
      const run = world.runs.get(recordedRun)
      if (run === undefined) throw new Error("The run is missing")
      const start_ms = Date.parse(run.finishedAt ?? "") - 42_000
      const isAt = (number: number) =>
        page.waitForFunction(
          (at_s) => Math.abs((document.querySelector("video")?.currentTime ?? 0) - at_s) < 0.1,
          (Date.parse(world.stepsOf(run)[number - 1]?.startedAt ?? "") - start_ms) / 1000
        )
      // the last step is shown at first
      await page.keyboard.press("k")
      await isAt(8)
      await page.keyboard.press("k")
      await isAt(7)
      await page.evaluate(() => ((document.querySelector("video") ?? { currentTime: 0 }).currentTime = 0))
      await page.keyboard.press("Enter")
      await isAt(7)
      await page.getByRole("slider", { name: "Step on the timeline" }).focus()
      await page.keyboard.press("ArrowRight")
      await isAt(8)
    }))
})

describe("the recording of a running browser", () => {
  const { visit } = useConsole()

  it("is announced on its run's page, and available once the browser has stopped", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      const id = runId(900_000)
      const browser = world.browsers.get(id)
      if (browser === undefined) throw new Error("There is no browser")
      assert.strictEqual(await page.getByText(/^The recording/u).count(), 0)
      const tell = (change: object) => {
        world.browsers.set(id, { ...browser, recording: true, ...change })
        world.tell("browser", world.browsers.get(id))
      }
      tell({})
      await page.getByText("The recording appears here once its browser stops.").waitFor()
      await checkAccessibility(page, "a run whose browser is recorded")
      tell({ status: "stopped", finishedAt: new Date().toISOString() })
      await page.getByText("The recording is on the page of its browser.").waitFor()
    }))
})

describe("a replay", () => {
  const { visit } = useConsole()

  it("is started without a model from a completed run, and leads to the run that it repeats", () =>
    visit(`/runs/${recordedRun}`, async (page, { world }) => {
      await page.getByRole("button", { name: "Replay without a model" }).click()
      await page.getByText("Waiting for the first step…").waitFor()
      const [request] = world.created
      assert.deepStrictEqual(request?.["replayOf"], { runId: recordedRun, asksModel: false })
      const id = page.url().split("/").at(-1) ?? ""
      const run = world.runs.get(id)
      if (run === undefined) throw new Error("The replay is missing")
      world.replays.set(id, { of: recordedRun, asksModel: false, replayed: 12, healed: 1, asked: 0 })
      world.put({ ...run, status: "completed", steps: 13, finishedAt: new Date().toISOString() })
      await page.getByText("12 as recorded, 1 healed, 0 by the model").waitFor()
      await checkAccessibility(page, "a replay")
      await page.getByRole("link", { name: "an earlier run" }).click()
      await page.waitForURL(new RegExp(`/runs/${recordedRun}$`, "u"))
    }))

  it("isn't offered for a failed run", () =>
    visit(`/runs/${runId(3)}`, async (page) => {
      await page.getByRole("button", { name: "Run again" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Replay without a model" }).count(), 0)
    }))
})

describe("the speed of a recording", () => {
  const { visit } = useConsole()

  it.runIf(isWhole)("is selected with the keyboard", () =>
    visit(`/runs/${recordedRun}`, async (page) => {
      await page.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
      await page.getByLabel("Playback speed").focus()
      await page.keyboard.press("ArrowDown")
      await page.waitForFunction(() => document.querySelector("video")?.playbackRate === 2)
    })
  )
})

describe("a run's neighbors", () => {
  const { visit } = useConsole({ size: 130 })

  it("are those of the list that it was opened from, with keys and buttons", () =>
    visit("/runs?status=completed", async (page) => {
      const idsOf = () =>
        page
          .locator("[role=row] a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href")?.replace("/console", "") ?? ""))
      await page.locator("[role=row] a").nth(2).waitFor()
      const [first = "", second = ""] = await idsOf()
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      const at = (to: string) => page.waitForURL((url) => url.pathname === `/console${to}`)
      await at(first)
      await page.getByRole("button", { name: "Next run" }).waitFor()
      assert.isTrue(await page.getByRole("button", { name: "Previous run" }).isDisabled())
      await page.keyboard.press("Shift+J")
      await at(second)
      await page.getByRole("button", { name: "Previous run" }).click()
      await at(first)
      // in a field, it's a letter
      await page.getByLabel("Follow-up").fill("")
      await page.keyboard.press("Shift+J")
      assert.strictEqual(await page.getByLabel("Follow-up").inputValue(), "J")
      await at(first)
      await page.getByRole("link", { name: "All runs" }).click()
      await page.waitForURL(/\/runs\?status=completed$/u)
    }))

  it.runIf(isWhole)("continue past the loaded rows", () =>
    visit("/runs", async (page, { world }) => {
      await page.locator("[role=row] a").first().waitFor()
      await page.keyboard.press("j")
      await page.keyboard.press("End")
      await page.keyboard.press("Enter")
      await page.waitForURL(`**/console/runs/${runId(99)}`)
      await page.getByRole("button", { name: "Next run" }).waitFor()
      // everything is read again, and the list begins with its first page
      const more = page.waitForRequest(/\/runs\?.*cursor=100/u)
      world.tell("reset", {})
      await more
      await page.waitForTimeout(300)
      await page.keyboard.press("Shift+J")
      await page.waitForURL(`**/console/runs/${runId(100)}`)
    })
  )

  it.runIf(isWhole)("have no buttons on a page that was opened by its address", () =>
    visit(`/runs/${runId(3)}`, async (page) => {
      await page.getByRole("button", { name: "Run again" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Next run" }).count(), 0)
    })
  )
})

describe("the queue of follow-ups", () => {
  const { visit } = useConsole()

  it("lists follow-ups behind a running run, and removes one", () =>
    visit(`/runs/${runId(0)}`, async (page, { world }) => {
      const field = page.getByLabel("Follow-up", { exact: true })
      for (const text of ["Then June", "Then July"]) {
        await field.fill(text)
        await page.keyboard.press("Enter")
        await page.getByRole("list", { name: "Queued follow-ups" }).getByText(text).waitFor()
      }
      await page.getByRole("heading", { name: "2 follow-ups in the queue" }).waitFor()
      await checkAccessibility(page, "a run with a queue")
      const june = page.getByRole("listitem").filter({ hasText: "Then June" })
      await june.getByRole("button", { name: /^Remove the follow-up/u }).click()
      await page.getByRole("heading", { name: "1 follow-up in the queue" }).waitFor()
      assert.strictEqual(world.runs.get(runId(0))?.status, "running")
      // an interrupt opens the run that it begins
      await field.fill("Now this")
      await page.getByRole("button", { name: "Interrupt" }).click()
      await page.getByRole("heading", { name: "Now this" }).waitFor()
      assert.strictEqual(world.runs.get(runId(0))?.status, "cancelled")
    }))
})

describe("the export of a run", () => {
  const { visit } = useConsole()

  it("saves Markdown, JSON and a ZIP file with pictures and recording, and shows the API's response", () =>
    visit(`/runs/${recordedRun}`, async (page) => {
      await page.getByRole("button", { name: "Export" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByText(`"id": "${recordedRun}"`).waitFor()
      await checkAccessibility(page, "the export")
      const zip = await save(page, "ZIP")
      const files = unzipSync(new Uint8Array(zip.bytes))
      assert.strictEqual(zip.name, `run-${recordedRun}.zip`)
      assert.includeMembers(Object.keys(files), ["run.md", "run.json", "result.json", "pictures/step-0001.jpg"])
      assert.strictEqual(files["recording.webm"]?.length, 40_344)
      const json = await save(page, "JSON")
      assert.deepStrictEqual(
        (JSON.parse(json.bytes.toString()) as { run: unknown }).run,
        JSON.parse(strFromU8(files["run.json"] ?? new Uint8Array()))
      )
      assert.match((await save(page, "Markdown")).bytes.toString(), /^# Run/u)
    }))

  it("makes a scenario of the run, to copy or to save", () =>
    visit(`/runs/${runId(2)}`, async (page) => {
      await page.getByRole("button", { name: "Copy as code" }).click()
      await page.getByRole("tab", { name: "Scenario" }).click()
      const file = await save(page, "Save the suite")
      assert.match(file.name, /^[a-z0-9-]+\.suite\.ts$/u)
      assert.include(file.bytes.toString(), "export default Suite.make(")
      await checkAccessibility(page, "a scenario")
    }))
})

describe("a shared run", () => {
  const { visit } = useConsole()

  for (const look of widths) {
    it(`opens with its link without a sign-in at ${look.width} px, until the link is revoked`, () =>
      visit(
        `/runs/${runId(2)}`,
        async (page, { address, behavior }) => {
          await page.getByRole("button", { name: "Share" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByRole("button", { name: "Create a link" }).click()
          const link = (await dialog.getByRole("region", { name: "Link" }).textContent()) ?? ""
          assert.strictEqual(link, `http://public.example/console/share/${runId(2)}#token-1`)
          await checkAccessibility(page, "the share dialog")
          behavior.signedIn = false
          const guest = await page.context().newPage()
          await guest.goto(link.replace("http://public.example", address))
          await guest.getByRole("region", { name: "Result" }).getByText("Norwegian").waitFor()
          await guest.locator("img").first().waitFor()
          // its recording goes to a step, too
          await guest.waitForFunction(() => (document.querySelector("video")?.readyState ?? 0) > 0)
          await guest.locator("li button").nth(4).click()
          await guest.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 10)
          await checkAccessibility(guest, "a shared run")
          await checkWidth(guest, "a shared run")
          // no way into the console, and nothing about the key
          assert.strictEqual(await guest.getByRole("navigation").count(), 0)
          assert.notInclude((await guest.locator("body").textContent()) ?? "", "research")
          behavior.signedIn = true
          await dialog.getByRole("button", { name: "Revoke the link" }).click()
          await dialog.getByRole("button", { name: "Create a link" }).waitFor()
          await guest.reload()
          await guest.getByText("There is no such run").waitFor()
          await checkAccessibility(guest, "a link that shows nothing")
        },
        look
      ))
  }

  it("is in the list of shared runs, which revokes it", () =>
    visit("/shares", async (page, { world }) => {
      await page.getByText("No shared runs").waitFor()
      world.share(runId(3))
      await page.reload()
      await page
        .getByRole("link", { name: /onerror|script|constructor|gnp|link/u })
        .first()
        .waitFor()
      await checkAccessibility(page, "shared runs")
      await page.getByRole("button", { name: `Revoke the link to run ${runId(3)}` }).click()
      await page.getByText("No shared runs").waitFor()
      assert.strictEqual(world.shares.size, 0)
    }))
})

describe("an undecodable address", () => {
  const { visit } = useConsole()

  for (const path of ["/runs/%E0%A4%A", "/share/%E0%A4%A"]) {
    it.runIf(isWhole)(`shows a message at ${path}`, () =>
      visit(path, async (page) => {
        await page.getByRole("heading", { name: "There is no such run" }).waitFor()
        assert.include(await page.title(), "webagent")
      })
    )
  }
})
