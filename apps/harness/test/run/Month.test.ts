import { check, scenario, Suite } from "@webagent/scenario"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { judge } from "@webagent/nights/Judge"
import { type Night, ofReport } from "@webagent/nights/Night"
import { findingsOf } from "@webagent/findings/Findings"
import { run } from "./stage.ts"

/** Ten scenarios whose trials take about a second and pass as often as they are told. */
const suite = (rates: ReadonlyArray<number>) =>
  Suite.make(
    "shop",
    rates.map((rate, index) =>
      scenario(`s${index}`, { trials: 5 }, function* () {
        yield* Effect.sleep(900 + 200 * (yield* Random.next))
        yield* check.isTrue((yield* Random.next) < rate, "it holds")
      })
    )
  )

const usual = [1, 1, 1, 1, 1, 1, 0.97, 0.97, 0.95, 0.9]
const worse = usual.map((rate, index) => (index === 8 ? 0.3 : rate))

/** One night in virtual time, by the runner that is shipped. */
const nightOf = Effect.fnUntraced(function* (day: number, rates: ReadonlyArray<number>) {
  const running = yield* Effect.forkChild(run([suite(rates)], { seed: day, concurrency: 50 }))
  yield* TestClock.adjust("1 minute")
  const { report } = yield* Fiber.join(running)
  const startedAt = new Date(Date.UTC(2026, 0, 1 + day, 2)).toISOString()
  return { ...report, header: { ...report.header, startedAt } }
})

describe("a month of nights", () => {
  it.effect("has no false alarm, and detects regressions within three nights", () =>
    Effect.gen(function* () {
      const nights: Array<Night> = []
      const alarms: Array<number> = []
      const named: Array<number> = []
      for (let day = 0; day < 33; day++) {
        const report = yield* nightOf(day, day < 30 ? usual : worse)
        const judged = { ...report, judgement: judge({ nights, accepted: [] }, ofReport(report)) }
        nights.push(ofReport(judged))
        const regressed = findingsOf(judged).flatMap(({ kind, scenarios }) =>
          [
            ...("comparison" in kind ? [kind.comparison] : []),
            ...scenarios.flatMap(({ comparison }) => comparison ?? [])
          ].filter(({ verdict }) => verdict === "regressed")
        )
        if (regressed.length > 0) alarms.push(day)
        if (regressed.some(({ figure, scenario }) => figure === "pass rate" && scenario?.name === "s8")) named.push(day)
      }
      assert.isAbove(named.length, 0)
      assert.isTrue(alarms.length > 0 && alarms.every((day) => day >= 30), `alarms in nights ${alarms.join(", ")}`)
    })
  )
})
