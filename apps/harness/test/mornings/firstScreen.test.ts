import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { errorsOf, resultsByName } from "@webagent/findings/Findings"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as NextText from "@webagent/findings/words/NextText"
import * as Statistics from "@webagent/findings/words/Statistics"
import * as UsageText from "@webagent/findings/words/UsageText"
import type { RunReport } from "@webagent/report/RunReport"
import { open } from "@webagent/test-chromium"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import * as Screens from "../../src/page/Screens.ts"
import { mornings } from "./mornings.ts"
import { pageText, replay } from "./texts.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-mornings-"))
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

/** Questions of the person on call about the first finding, with the labels of the page. */
const answersOf = (report: RunReport): Readonly<Record<string, string | undefined>> => {
  const { cost } = UsageText.of(report)
  const usual = UsageText.usualText(cost)
  const spent = `${UsageText.text(cost)}${usual === undefined ? "" : `, ${usual}`}`
  const [finding] = errorsOf(report)
  if (finding === undefined) return { "what it cost": spent, "what next": NextText.nothing }
  const text = FindingText.describe(finding)
  const comparison = "comparison" in finding.kind ? finding.kind.comparison : finding.scenarios[0]?.comparison
  const example = resultsByName(report)(FindingText.exampleOf(finding))
  return {
    "what is wrong": text.what,
    "since when": text.age,
    confidence: text.certainty ?? (comparison && Statistics.fullEvidence(comparison)),
    "what was measured": comparison && Statistics.fullEvidence(comparison),
    "where the cause is": text.unexplained,
    "what an outage cost": text.cost,
    "which cause": text.cause ?? text.evidence,
    whose: text.owner,
    "what it cost": spent,
    "how to replay it": example && replay(example),
    "when it began": text.change?.began,
    "what changed": text.change?.changed,
    "may it be ignored": IgnoreText.text(finding),
    "what next": NextText.text(finding, example !== undefined)
  }
}

const screen = { width: 1280, height: 800 } as const
const phone = { width: 390, height: 844 } as const

/** Opens the page of a morning. */
const opened = async (name: keyof typeof mornings, viewport: typeof phone | typeof screen) => {
  const { nights, report } = mornings[name]
  const file = join(folder, "report.html")
  writeFileSync(file, pageText(report, nights, bundle))
  const page = await browser.newPage({ viewport })
  await page.goto(pathToFileURL(file).href)
  const title = page.getByRole("heading", { level: 1 })
  await title.waitFor()
  return { page, title, report }
}

describe("the first screen of a morning's page", () => {
  for (const name of Object.keys(mornings) as ReadonlyArray<keyof typeof mornings>) {
    it(`with ${name} answers what a person on call asks`, { timeout: 60_000 }, async () => {
      const { page, report } = await opened(name, screen)
      for (const [question, answer] of Object.entries(answersOf(report))) {
        if (answer === undefined) continue
        // a command may follow these sentences
        const exact = question !== "may it be ignored" && question !== "what next"
        const box = await page.getByText(answer, { exact }).first().boundingBox({ timeout: 20_000 })
        assert.isNotNull(box, `${question}: ${answer}`)
        assert.isAtMost((box?.y ?? 0) + (box?.height ?? 0), screen.height, `${question}: ${answer}`)
      }
      await page.close()
    })

    it(`with ${name} has the whole title and the first command on a phone`, { timeout: 60_000 }, async () => {
      const { page, report, title } = await opened(name, phone)
      assert.isTrue(await title.evaluate(({ clientHeight, scrollHeight }) => scrollHeight <= clientHeight))
      if (errorsOf(report).length > 0) {
        const command = page.getByRole("region", { name: "Errors" }).locator("code").first()
        const box = await command.boundingBox({ timeout: 20_000 })
        assert.isAtMost((box?.y ?? Infinity) + (box?.height ?? 0), phone.height)
      }
      await page.close()
    })
  }

  it("counts the passed scenarios of those that ran, if a shard is missing", { timeout: 60_000 }, async () => {
    const { page } = await opened("lost shard", screen)
    assert.isTrue(await page.getByText("5 of 5 scenarios that ran").isVisible())
    // the page of the night counts alike
    const id = mornings["lost shard"].nights.at(-1)?.id ?? ""
    await page.getByRole("link", { name: id.slice(0, 8) }).click()
    await page.getByText("5 of 5 scenarios that ran", { exact: true }).waitFor()
    assert.include(page.url(), id)
    await page.close()
  })
})
