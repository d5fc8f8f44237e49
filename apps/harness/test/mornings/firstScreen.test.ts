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
  if (finding === undefined) return { "what it cost": spent, "what next": "Nothing to do" }
  const text = FindingText.describe(finding)
  const comparison = "comparison" in finding.kind ? finding.kind.comparison : finding.scenarios[0]?.comparison
  const example = resultsByName(report)(FindingText.exampleOf(finding))
  return {
    "what is wrong": text.what,
    "since when": text.age,
    "how sure": comparison === undefined ? text.certainty : Statistics.fullEvidence(comparison),
    "which cause": text.cause ?? text.evidence,
    whose: text.owner,
    "what it cost": spent,
    "how to replay it": example && replay(example),
    "what changed": text.change?.text,
    "may it be ignored": IgnoreText.text(finding),
    "what next": NextText.text(finding, true)
  }
}

const screen = { width: 1280, height: 800 } as const

describe("the first screen of a morning's page", () => {
  for (const [name, { nights, report }] of Object.entries(mornings)) {
    it(`with ${name} answers what a person on call asks`, { timeout: 60_000 }, async () => {
      const file = join(folder, "report.html")
      writeFileSync(file, pageText(report, nights, bundle))
      const page = await browser.newPage({ viewport: screen })
      await page.goto(pathToFileURL(file).href)
      await page.getByRole("heading", { level: 1 }).waitFor()
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
  }
})
