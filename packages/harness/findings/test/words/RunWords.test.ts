import { assert, it } from "@effect/vitest"
import * as Findings from "../../src/Findings.ts"
import * as RunWords from "../../src/words/RunWords.ts"
import { reportOf, resultOf, trialOf } from "../reports.ts"

const failure = { kind: "check", message: "the shop opens" } as const

it("the words for a run name its failure, and can only be printed", () => {
  const report = reportOf([resultOf("pays", [trialOf({ verdict: "failed", failure })], { failure })])
  const { lineOf, summary, title } = RunWords.of(report)
  const [finding] = Findings.of(report)
  assert.isDefined(finding)
  assert.include(`${title}`, "failure")
  assert.include(`${lineOf(finding)}`, "the shop opens")
  // @ts-expect-error: a sentence can't be compared
  assert.isFalse(summary === "1 failure")
  // @ts-expect-error: a sentence can't be cut
  assert.isFunction(summary.split)
})
