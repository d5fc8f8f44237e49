import { assert, describe, it } from "@effect/vitest"
import { check, scenario, type ScenarioOptions, Suite } from "@webagent/scenario"
import { judge } from "@webagent/nights/Judge"
import { judgeNight } from "@webagent/findings/NightFindings"
import { type Night, ofReport } from "@webagent/nights/Night"
import { conclude } from "@webagent/findings/Conclusion"
import { errorsOf } from "@webagent/findings/Findings"
import { describe as describeFinding } from "@webagent/findings/words/FindingText"
import * as LimitText from "@webagent/findings/words/LimitText"
import { statusOf } from "@webagent/report/Finding"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import * as JUnitReporter from "../../src/reporters/JUnitReporter.ts"
import * as MarkdownReporter from "../../src/reporters/MarkdownReporter.ts"
import { run } from "./stage.ts"

/** Three trials that pass after 2, 3 and 9 seconds, for 0.20 USD each. */
const nightOf = Effect.fnUntraced(function* (options: ScenarioOptions, nights: ReadonlyArray<Night> = []) {
  let trial = 0
  const suite = Suite.make("shop", [
    scenario("pays", { trials: 3, ...options }, function* () {
      const log = yield* TrialLog
      const time_ms = [2000, 3000, 9000][trial++] ?? 0
      log.costs.set(`run ${trial}`, "0.20")
      yield* Effect.sleep(time_ms)
      yield* check.isTrue(true, "it is paid")
    })
  ])
  const running = yield* Effect.forkChild(run([suite], { concurrency: 3 }))
  yield* TestClock.adjust("1 minute")
  const { report } = yield* Fiber.join(running)
  const past = { nights, accepted: [] }
  const judged = { ...report, judgement: judge(past, ofReport(report)) }
  const gated = conclude(judged)
  return { report: gated, night: ofReport(gated), past }
})

const dated = (night: Night): ReadonlyArray<Night> =>
  Array.from({ length: 10 }, (_, day) => ({
    ...night,
    id: `night ${day}`,
    startedAt: `2026-11-0${day}T02:00:00.000Z`
  }))

describe("a scenario's limits", () => {
  it.effect("fail a night whose trials all passed, with a typed reason in every report", () =>
    Effect.gen(function* () {
      const { report } = yield* nightOf({ maxDuration: "2.5 seconds", maxCost: "0.10 USD" })
      const [result] = report.results
      assert.deepStrictEqual(result?.exceeded, [
        { _tag: "MaxDuration", limit_ms: 2500, actual_ms: 3000 },
        { _tag: "MaxCost", limit_usd: "0.10", actual_usd: "0.2" }
      ])
      assert.deepStrictEqual([result?.verdict, result?.failure?.kind], ["failed", "limit"])
      assert.deepStrictEqual(
        report.findings.map(({ kind, severity }) => [severity, kind._tag]),
        [
          ["error", "LimitExceeded"],
          ["error", "LimitExceeded"]
        ]
      )
      const words = errorsOf(report).map(describeFinding)
      assert.deepStrictEqual(
        words.map(({ evidence }) => evidence),
        (result?.exceeded ?? []).map(LimitText.ofScenario)
      )
      assert.include(
        JUnitReporter.render(report, () => "again"),
        `message="${words[0]?.evidence}" type="${words[0]?.what}"`
      )
      assert.include(
        MarkdownReporter.render(report, () => "again"),
        words[0]?.evidence ?? "no finding"
      )
    })
  )

  it.effect("change nothing if they hold", () =>
    Effect.gen(function* () {
      const { report } = yield* nightOf({ maxDuration: "3 seconds", maxCost: "0.20 USD" })
      assert.deepStrictEqual([report.findings, report.results[0]?.exceeded], [[], undefined])
    })
  )

  it.effect("fail even if they were exceeded in many earlier nights", () =>
    Effect.gen(function* () {
      for (const options of [{ maxDuration: "1 second" }, { budget: "0.10 USD" }] as const) {
        const { night } = yield* nightOf({})
        const again = yield* nightOf(options, dated(night))
        assert.strictEqual(statusOf(again.report.findings), "failed")
        assert.strictEqual(judgeNight(again.past, again.night).status, "failed")
      }
    })
  )
})
