import { assert, describe, expect, it } from "@effect/vitest"
import { plain } from "@webagent/cli/Style"
import { errorsOf, resultsByName } from "@webagent/findings/Findings"
import * as ContributionText from "@webagent/findings/words/ContributionText"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as NextText from "@webagent/findings/words/NextText"
import * as RunText from "@webagent/findings/words/RunText"
import * as Statistics from "@webagent/findings/words/Statistics"
import * as UsageText from "@webagent/findings/words/UsageText"
import type { Finding } from "@webagent/report/Finding"
import { ageOf, type Onset } from "@webagent/report/Onset"
import type { RunReport } from "@webagent/report/RunReport"
import * as Effect from "effect/Effect"
import { program } from "../../src/cli/Program.ts"
import { mornings } from "./mornings.ts"
import { consoleText, ignoring, markdownText, replay } from "./texts.ts"

/** Questions of a person on call. */
type Question =
  | "since when"
  | "confidence"
  | "what was measured"
  | "where the cause is"
  | "what an outage cost"
  | "which cause"
  | "whose"
  | "how to replay it"
  | "when it began"
  | "what changed"
  | "where it is compared"
  | "may it be ignored"
  | "what next"
  | "with which command"
  | "with which command after it"

/** The parts of the code whose version changed when a finding began. */
const changedOf = (onset: Onset | undefined) => {
  const { bad, good } = onset?.change ?? {}
  if (bad === undefined || good === undefined) return undefined
  return (["suites", "tool", "service"] as const).filter(
    (part) => JSON.stringify(bad[part]) !== JSON.stringify(good[part])
  )
}

/** The answers as records. */
const factsOf = (finding: Finding | undefined) => {
  if (finding === undefined) return undefined
  const { kind, scenarios } = finding
  const [first] = scenarios
  const onset = finding.onset ?? first?.onset
  const comparison = "comparison" in kind ? kind.comparison : first?.comparison
  const facts = {
    kind: kind._tag,
    scenarios: scenarios.map(({ name }) => name),
    owner: first?.owner,
    age: onset && ageOf(onset),
    nights: onset?.nights,
    changed: changedOf(onset),
    now: comparison?.now?._tag === "Rate" ? comparison.now : undefined,
    before: comparison?.before ?? undefined,
    isSure: comparison?.pValue === undefined ? undefined : comparison.pValue <= 0.001,
    cause: ("cause" in kind ? kind.cause : first?.cause)?.facts,
    remedy: IgnoreText.of(finding).remedy
  }
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
}

/** The answers in words: the screens must show each of them. */
const answersOf = (finding: Finding, report: RunReport): Readonly<Partial<Record<Question, string>>> => {
  const text = FindingText.describe(finding)
  const comparison = "comparison" in finding.kind ? finding.kind.comparison : finding.scenarios[0]?.comparison
  const example = resultsByName(report)(FindingText.exampleOf(finding))
  const next = NextText.of(finding, { program, replay: example && replay(example) })
  const all: Partial<Record<Question, string | undefined>> = {
    "since when": text.age,
    confidence: text.certainty ?? (comparison && Statistics.evidence(comparison)),
    "what was measured": comparison && Statistics.evidence(comparison),
    "where the cause is": text.unexplained,
    "what an outage cost": text.cost,
    "which cause": text.cause ?? ContributionText.line(text.contribution)[0] ?? text.evidence,
    whose: text.owner,
    "how to replay it": example && replay(example),
    "when it began": text.change?.began,
    "what changed": text.change?.changed,
    "where it is compared": text.change?.url,
    "may it be ignored": ignoring(finding, report),
    "what next": next.text,
    "with which command": next.commands[0],
    "with which command after it": next.commands[1]
  }
  return Object.fromEntries(Object.entries(all).filter(([, answer]) => answer !== undefined))
}

const rate = (passed: number, scored: number) => ({ _tag: "Rate", passed, scored }) as const
const tonight = { age: "new", nights: 1, changed: [] }
const owner = "checkout team"

/** The first finding of each morning. */
const expected: Readonly<Record<keyof typeof mornings, unknown>> = {
  perfect: undefined,
  "one failure": {
    kind: "Failed",
    scenarios: ["buys a mug"],
    owner,
    age: "old",
    nights: 3,
    changed: ["service"],
    now: rate(0, 15),
    before: rate(70, 70),
    isSure: true,
    cause: { _tag: "Service", message: "it is paid", isCheck: true, error: "The cart was empty." },
    remedy: "quarantine"
  },
  "one flaky": {
    kind: "Flaky",
    scenarios: ["searches"],
    owner,
    ...tonight,
    now: rate(2, 5),
    before: rate(80, 80),
    isSure: true,
    cause: { _tag: "Check", message: "the order exists", isCheck: true, expected: "one order", actual: "none" },
    remedy: "quarantine"
  },
  outage: {
    kind: "ServiceAway",
    scenarios: ["cancels", "pays"],
    owner,
    ...tonight,
    cause: { _tag: "Request", method: "POST", path: "/api/v4/runs", status: 503 }
  },
  slower: { kind: "Regressed", scenarios: [], ...tonight, changed: ["service"], isSure: true, remedy: "accept" },
  costlier: { kind: "Regressed", scenarios: [], ...tonight, changed: ["suites"], isSure: true, remedy: "accept" },
  leak: { kind: "Leak", scenarios: ["pays"], owner, ...tonight, remedy: "quarantine" },
  "lost shard": { kind: "Incomplete", scenarios: ["pays"], owner, ...tonight }
}

/** Text as a screen may break or mark it. */
const flat = (text: string) => text.replaceAll("\\", "").replaceAll(/\s+/gu, " ")

describe("a morning", () => {
  for (const [name, { report }] of Object.entries(mornings)) {
    it(`with ${name}: the console and the summary answer what a person on call asks`, async () => {
      const findings = errorsOf(report)
      assert.deepStrictEqual(factsOf(findings[0]), expected[name as keyof typeof mornings])
      // as many trials at a time as the run allows can't take less
      const trials_ms = report.results.flatMap(({ trials }) => trials).reduce((sum, one) => sum + one.duration_ms, 0)
      assert.isAtLeast(report.duration_ms, trials_ms / report.header.concurrency, name)
      const shown = await Effect.runPromise(consoleText(report, plain))
      const summary = markdownText(report)
      const answers = findings.map((finding) => answersOf(finding, report))
      for (const [question, answer] of answers.flatMap((one) => Object.entries(one))) {
        assert.include(flat(shown), flat(answer), `the console: ${question}`)
        // the summary has the cause of the first finding only
        if (question !== "which cause" || answer === answers[0]?.[question]) {
          assert.include(flat(summary), flat(answer), `the summary: ${question}`)
        }
      }
      const cost = UsageText.full(UsageText.of(report).cost)
      assert.include(shown, cost)
      assert.include(flat(summary), cost)
      // no time has a backslash
      assert.notMatch(summary, /\d\\:\d/u)
      // what is left to read on a small screen
      const lines = shown.trim().split("\n")
      assert.strictEqual(lines.at(-1)?.slice(0, RunText.lastLineOf(report).length), RunText.lastLineOf(report))
      assert.isBelow(lines.length, 40)
      expect([RunText.lastLineOf(report), cost, ...answers]).toMatchSnapshot("words")
    })
  }
})
