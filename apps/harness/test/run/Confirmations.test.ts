import { assert, describe, it } from "@effect/vitest"
import { check, scenario, type ScenarioOptions, Suite } from "@webagent/scenario"
import * as ConfirmText from "@webagent/findings/words/ConfirmText"
import { conclude } from "@webagent/findings/Conclusion"
import type { RunEvent } from "@webagent/report/RunEvent"
import { judge, suspects } from "@webagent/nights/Judge"
import { type Night, ofReport } from "@webagent/nights/Night"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { TestClock } from "effect/testing"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import { trialKey } from "../../src/run/RunnerOptions.ts"
import { run, type StageOptions } from "./stage.ts"

const usual = { rate: 0.95, time_ms: 1000 }
const well = { rate: 1, time_ms: 1000 }
type Behaviour = typeof usual

/** Six scenarios; the first behaves as it is told, and always takes one request and costs nothing. */
const shop = (first: Behaviour, leaks = false, needs: ScenarioOptions["needs"] = []) =>
  Suite.make(
    "shop",
    [first, well, well, well, well, well].map(({ rate, time_ms }, index) =>
      scenario(`s${index}`, { trials: 5, budget: "0.50 USD", needs }, function* () {
        const log = yield* TrialLog
        log.requests++
        if (leaks && index === 0) log.openBrowsers.add("b-1")
        yield* Effect.sleep(time_ms * (0.95 + 0.1 * (yield* Random.next)))
        yield* check.isTrue((yield* Random.next) < rate, "it holds")
      })
    )
  )

const dayOf = (day: number) => new Date(Date.UTC(2026, 0, 1 + day, 2)).toISOString()

/** One night in virtual time, by the runner that is shipped; with `limits.confirm` it is judged by the nights before. */
const nightOf = Effect.fnUntraced(function* (
  day: number,
  first: Behaviour,
  nights: ReadonlyArray<Night>,
  options: StageOptions & { readonly leaks?: boolean; readonly needs?: ScenarioOptions["needs"] } = {}
) {
  const past = { nights, accepted: [] }
  const dated = <A extends { readonly header: { readonly startedAt: string } }>(report: A): A => ({
    ...report,
    header: {
      ...report.header,
      startedAt: dayOf(day),
      machine: { cpu: "x", cores: 2, platform: "linux-x64", node: "24" }
    }
  })
  const stage: StageOptions = { seed: day, suspects: (report) => suspects(past, ofReport(dated(report))), ...options }
  const running = yield* Effect.forkChild(run([shop(first, options.leaks, options.needs)], stage))
  yield* TestClock.adjust("10 minutes")
  const { events, report } = yield* Fiber.join(running)
  const tonight = dated(report)
  const judgement = judge(past, ofReport(tonight))
  const judged = { ...tonight, judgement }
  return { events, report: conclude(judged) }
})

let known: ReadonlyArray<Night> | undefined
const past = Effect.gen(function* () {
  if (known !== undefined) return known
  const nights: Array<Night> = []
  for (let day = 0; day < 20; day++) nights.push(ofReport((yield* nightOf(day, usual, nights)).report))
  return (known = nights)
})

const trialsIn = (events: ReadonlyArray<RunEvent>) =>
  events.flatMap((event) => (event._tag === "TrialFinished" ? [event] : []))

const rowOf = ({ report }: Effect.Success<ReturnType<typeof nightOf>>, figure: string) =>
  report.judgement.rows.find((row) => row.figure === figure && row.scenario?.name === "s0")

const isRed = (night: Effect.Success<ReturnType<typeof nightOf>>) =>
  night.report.findings.some(
    ({ kind, scenarios, severity }) =>
      severity === "error" &&
      scenarios.some(
        ({ comparison, name }) => name === "s0" && (kind._tag === "Regressed" || comparison?.verdict === "regressed")
      )
  )

const some = { limits: { confirm: 60 } }

describe("extra trials", () => {
  it.effect("fail a scenario that dropped from 95 to 50 % in the same night, and don't affect an unchanged one", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const redOf = Effect.fnUntraced(function* (rate: number, options: StageOptions) {
        let red = 0
        for (let day = 20; day < 30; day++) {
          if (isRed(yield* nightOf(day, { ...usual, rate }, nights, options))) red++
        }
        return red
      })
      const [fallen, without, same] = [yield* redOf(0.5, some), yield* redOf(0.5, {}), yield* redOf(0.95, some)]
      assert.isTrue(fallen >= 8 && without <= 3 && same === 0, `${fallen}, ${without} and ${same} of 10 nights are red`)
    })
  )

  it.effect("decide a slow scenario in the same night", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const slow = yield* nightOf(20, { ...usual, time_ms: 1300 }, nights, some)
      assert.strictEqual(slow.report.results[0]?.confirm?.figure, "duration")
      const row = rowOf(slow, "duration")
      assert.deepStrictEqual([row?.verdict, row?.confirm?.outcome], ["regressed", "confirmed"])
      assert.isAbove(row?.confirm?.passed ?? 0, 0)
    })
  )

  it.effect("are limited in number, and go to the most suspicious scenario first", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const { events, report } = yield* nightOf(21, { ...usual, rate: 0.1 }, nights, {
        concurrency: 1,
        limits: { confirm: 2 }
      })
      const more = trialsIn(events).filter(({ trial }) => trial.index >= 5)
      assert.deepStrictEqual(
        more.map(({ scenario, trial }) => [scenario, trial.index]),
        [
          ["s0", 5],
          ["s0", 6]
        ]
      )
      const [first] = report.results
      const { outcome, skip } = first?.confirm ?? {}
      assert.deepStrictEqual([outcome, skip], ["undecided", { _tag: "ConfirmLimit", limit: 2 }])
      assert.isDefined(ConfirmText.summary(report))
      assert.deepStrictEqual([report.counts.trials, report.counts.requests], [32, 32])
    })
  )

  it.effect("can go to one scenario several times if it stays the most suspicious, each with its own number", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const mostAtOnce = (all: ReturnType<typeof trialsIn>) => {
        const spans = all.map(({ trial }) => [trial.started_ms, trial.started_ms + trial.duration_ms] as const)
        return Math.max(...spans.map(([at]) => spans.filter(([from, to]) => from <= at && at < to).length))
      }
      const night = yield* nightOf(21, { ...usual, rate: 0.3 }, nights, { ...some, concurrency: 8 })
      const more = trialsIn(night.events).filter(({ trial }) => trial.index >= 5)
      assert.deepStrictEqual([new Set(more.map(({ scenario }) => scenario)), mostAtOnce(more)], [new Set(["s0"]), 4])
      const { trials = [], outcome } = night.report.results[0]?.confirm ?? {}
      assert.strictEqual(outcome, "confirmed")
      assert.deepStrictEqual(
        trials.map(({ index }) => index),
        trials.map((_, place) => 5 + place)
      )
      // those that run count for the limits, too
      const paid = { needs: ["money"], limits: { confirm: 60, paidConfirm: 2 }, concurrency: 8 } as const
      const few = yield* nightOf(21, { ...usual, rate: 0.1 }, nights, paid)
      assert.lengthOf(few.report.results[0]?.confirm?.trials ?? [], 2)
    })
  )

  it.effect("start only within the limits of cost and time", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const failing = { ...usual, rate: 0.1 }
      // all planned trials may cost 3.00 USD together, one more 0.10 USD: none has cost anything when it begins
      const cheap = yield* nightOf(21, failing, nights, { limits: { confirm: 60, cost_usd: "0.50" } })
      assert.strictEqual(cheap.report.results[0]?.confirm?.outcome, "confirmed")
      const dear = yield* nightOf(21, failing, nights, { limits: { confirm: 60, time_ms: 6000 }, concurrency: 8 })
      assert.deepStrictEqual(dear.report.results[0]?.confirm?.skip, { _tag: "TimeLimit", limit_ms: 6000 })
      assert.isUndefined(ofReport(dear.report).partial)
    })
  )

  it.effect("are few for a scenario that costs money, unless a cost limit is set", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const failing = { ...usual, rate: 0.1 }
      const paid = { needs: ["money"] } as const
      const few = yield* nightOf(21, failing, nights, { ...paid, limits: { confirm: 60, paidConfirm: 2 } })
      const confirm = few.report.results[0]?.confirm
      assert.deepStrictEqual([confirm?.trials.length, confirm?.skip], [2, { _tag: "PaidConfirmLimit", limit: 2 }])
      const free = yield* nightOf(21, failing, nights, { limits: { confirm: 60, paidConfirm: 2 } })
      assert.isAbove(free.report.results[0]?.confirm?.trials.length ?? 0, 2)
      // planned trials and one more may cost 3.10 USD: what they reserve and do not spend is given back
      const limited = yield* nightOf(21, failing, nights, { ...paid, limits: { confirm: 60, cost_usd: "0.50" } })
      assert.isAbove(limited.report.results[0]?.confirm?.trials.length ?? 0, 2)
    })
  )

  it.effect("fail their scenario if they leak a browser, and don't count in its night's figures", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const { report } = yield* nightOf(21, { ...usual, rate: 0.3 }, nights, { ...some, leaks: true })
      const [first] = report.results
      const [its] = ofReport(report).scenarios
      assert.deepStrictEqual([its?.trials, its?.requests], [5, 5])
      assert.strictEqual(its?.leaks, 5 + (first?.confirm?.trials.length ?? 0))
      assert.strictEqual(its?.confirm?.scored, first?.confirm?.trials.length)
    })
  )

  it.effect("aren't repeated if a killed run had finished them", () =>
    Effect.gen(function* () {
      const nights = yield* past
      const options = { ...some, concurrency: 1 }
      const whole = yield* nightOf(21, { ...usual, rate: 0.5 }, nights, options)
      const all = trialsIn(whole.events)
      assert.isAbove(all.length, 33)
      const kept = all.slice(0, 32)
      const done = new Map(kept.map(({ scenario, suite, trial }) => [trialKey(suite, scenario, trial.index), trial]))
      const worked_ms = Math.max(...kept.map(({ trial }) => trial.started_ms + trial.duration_ms))
      const rest = yield* nightOf(21, { ...usual, rate: 0.5 }, nights, { ...options, done, worked_ms })
      assert.lengthOf(trialsIn(rest.events), all.length - 32)
      assert.deepStrictEqual(ofReport(rest.report).scenarios, ofReport(whole.report).scenarios)
      assert.deepStrictEqual(rest.report.counts, whole.report.counts)
    })
  )
})
