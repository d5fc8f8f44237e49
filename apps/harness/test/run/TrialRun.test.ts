import { assert, describe, it } from "@effect/vitest"
import { check, Oracle, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import { refused, status } from "./errors.ts"
import { run, type StageOptions, suiteOf } from "./stage.ts"

/** Runs one scenario in virtual time, and answers its result and how often it was tried. */
const results = (
  tries: ReadonlyArray<Effect.Effect<unknown, unknown, Scope.Scope>>,
  options: StageOptions = {},
  passes = "1 hour"
) =>
  Effect.gen(function* () {
    let count = 0
    const each = Effect.suspend(() => tries[Math.min(count++, tries.length - 1)] ?? Effect.void)
    const fiber = yield* Effect.forkChild(run([suiteOf("suite", [["scenario", each]])], options))
    yield* TestClock.adjust(passes as "1 hour")
    const { report } = yield* Fiber.join(fiber)
    const [result] = report.results
    const [trial] = result?.trials ?? []
    return { report, result, trial, tries: count }
  })

const two = { limits: { reruns: 2 } }

describe("TrialRun", () => {
  it.effect("reruns a trial that only the infrastructure ended with the same seed, and keeps the first failure", () =>
    Effect.gen(function* () {
      const { report, result, trial, tries } = yield* results([Effect.fail(refused), Effect.void], two)
      assert.deepStrictEqual([result?.verdict, tries, report.counts.reruns], ["passed", 2, 1])
      const [first] = trial?.reruns ?? []
      assert.match(first?.failure.message ?? "", /connection refused/u)
      // a second less up to a half of it
      assert.isAtLeast(trial?.started_ms ?? 0, 500)
      assert.isAtMost(trial?.started_ms ?? 0, 1000)
    })
  )

  it.effect("reruns nothing else", () =>
    Effect.gen(function* () {
      for (const failing of [Effect.fail(new Error("no")), Effect.die("no"), check.equal<unknown>(1, 2)]) {
        const { result, tries } = yield* results([failing, Effect.void], two)
        assert.deepStrictEqual([result?.verdict, tries], ["failed", 1])
      }
    })
  )

  it.effect("reruns at most twice, and then reports that the service was unreachable", () =>
    Effect.gen(function* () {
      const { report, result, trial, tries } = yield* results([Effect.fail(status(503))], { limits: { reruns: 9 } })
      assert.deepStrictEqual([result?.verdict, tries, trial?.reruns.length], ["infra", 3, 2])
      assert.deepStrictEqual([trial?.reason, trial?.notRerun], ["HTTP 503", { _tag: "FailedAgain", reruns: 2 }])
      assert.strictEqual(result?.failure?.kind, "error")
      assert.deepStrictEqual([report.counts.infra, report.counts.reruns], [1, 2])
    })
  )

  it.effect("shares the budget of reruns between all trials", () =>
    Effect.gen(function* () {
      let count = 0
      const away = Effect.suspend(() => Effect.fail(status(++count % 2 === 0 ? 502 : 503)))
      const suite = suiteOf("suite", [["away", away, { trials: 5 }]])
      const fiber = yield* Effect.forkChild(run([suite], { ...two, concurrency: 1 }))
      yield* TestClock.adjust("1 hour")
      const { report } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        report.results[0]?.trials.map(({ notRerun, reason, reruns }) => [reruns.length, reason, notRerun]),
        [
          [2, "HTTP 503", { _tag: "FailedAgain", reruns: 2 }],
          [0, "HTTP 502", { _tag: "RerunsUsedUp", reruns: 0, limit: 2 }],
          [0, "HTTP 503", { _tag: "RerunsUsedUp", reruns: 0, limit: 2 }],
          [0, "HTTP 502", { _tag: "RerunsUsedUp", reruns: 0, limit: 2 }],
          [0, "HTTP 503", { _tag: "RerunsUsedUp", reruns: 0, limit: 2 }]
        ]
      )
      assert.strictEqual(report.results[0]?.verdict, "infra")
    })
  )

  it.effect("includes an earlier run's reruns in that budget", () =>
    Effect.gen(function* () {
      const before = yield* results([Effect.fail(status(503)), Effect.fail(status(503)), Effect.void], two)
      assert.deepStrictEqual([before.result?.verdict, before.trial?.reruns.length], ["passed", 2])
      assert.isDefined(before.trial)
      const away = suiteOf("suite", [["scenario", Effect.fail(status(503)), { trials: 2 }]])
      const done = new Map([[JSON.stringify(["suite", "scenario", 0]), before.trial]])
      const { report } = yield* run([away], { ...two, done })
      assert.deepStrictEqual(report.results[0]?.trials[1]?.notRerun, { _tag: "RerunsUsedUp", reruns: 0, limit: 2 })
      // and no more than it has used
      const fiber = yield* Effect.forkChild(run([away], { limits: { reruns: 3 }, done }))
      yield* TestClock.adjust("1 hour")
      const [, second] = (yield* Fiber.join(fiber)).report.results[0]?.trials ?? []
      assert.deepStrictEqual(
        [second?.reruns.length, second?.notRerun],
        [1, { _tag: "RerunsUsedUp", reruns: 1, limit: 3 }]
      )
    })
  )

  it.effect("reruns nothing without a budget", () =>
    Effect.gen(function* () {
      const { trial, tries } = yield* results([Effect.fail(status(503))], { limits: { reruns: 0 } })
      assert.deepStrictEqual([tries, trial?.notRerun], [1, { _tag: "RerunsUsedUp", reruns: 0, limit: 0 }])
    })
  )

  it.effect("waits as long as the service asks, up to a limit", () =>
    Effect.gen(function* () {
      const asked = yield* results([Effect.fail(status(503, "40 seconds")), Effect.void], two)
      assert.deepStrictEqual([asked.result?.verdict, asked.trial?.started_ms], ["passed", 40_000])
      const long = yield* results([Effect.fail(status(503, "10 minutes")), Effect.void], two)
      assert.deepStrictEqual(
        [long.result?.verdict, long.trial?.notRerun],
        ["infra", { _tag: "RetryAfter", after_ms: 600_000 }]
      )
    })
  )

  it.effect("stops leftovers of an attempt that the infrastructure ended, and reports a leak only if that fails", () =>
    Effect.gen(function* () {
      const leaking = Effect.andThen(
        Effect.map(TrialLog, (log) => log.openBrowsers.add("b-1")),
        Effect.fail(status(503))
      )
      for (const [works, verdict, leaks] of [
        [true, "passed", []],
        [false, "failed", [{ id: "b-1", stopped: false }]]
      ] as const) {
        let stops = 0
        const { result, trial } = yield* results([leaking, Effect.void], {
          ...two,
          stopBrowser: () => Effect.sync(() => ++stops > 0 && works)
        })
        assert.deepStrictEqual<unknown>([result?.verdict, stops, trial?.leakedBrowsers], [verdict, 1, leaks])
      }
    })
  )

  const says = (agent: boolean) => Effect.map(TrialLog, (log) => (log.agent = agent))

  it.effect("reports a failed trial as claimed if the agent reported success", () =>
    Effect.gen(function* () {
      const wrong = check.equal<unknown>("blue", "red")
      const claimed = yield* results([Effect.andThen(says(true), wrong)])
      assert.deepStrictEqual([claimed.result?.verdict, claimed.report.counts.claimed], ["claimed", 1])
      assert.deepStrictEqual(claimed.trial?.opinions, { oracle: null, agent: true, judge: null })
      const honest = yield* results([Effect.andThen(says(false), wrong)])
      assert.strictEqual(honest.result?.verdict, "failed")
      const broken = yield* results([Effect.andThen(says(true), Effect.die("a bug of the suite"))])
      assert.strictEqual(broken.result?.verdict, "failed")
    })
  )

  it.effect("ignores an earlier attempt's report of success", () =>
    Effect.gen(function* () {
      const first = Effect.andThen(says(true), Effect.fail(refused))
      const { result, trial } = yield* results([first, check.equal<unknown>("blue", "red")], two)
      assert.deepStrictEqual([result?.verdict, trial?.opinions], ["failed", undefined])
    })
  )

  const oracle = (look: Oracle.Oracle<unknown>) => check.oracle("the order exists", look)

  it.effect("leaves a trial unscored if its oracle can't look, unless the suite handles that", () =>
    Effect.gen(function* () {
      const blind = oracle(Effect.fail(new Error("no database")))
      const { report, result, trial } = yield* results([blind])
      assert.deepStrictEqual([result?.verdict, report.counts.unscored], ["unscored", 1])
      assert.strictEqual(trial?.reason, "an oracle failed: Error: no database")
      const handled = yield* results([Effect.ignore(blind)])
      assert.strictEqual(handled.result?.verdict, "passed")
      const away = yield* results([oracle(Effect.fail(refused)), Effect.void], two)
      assert.deepStrictEqual([away.result?.verdict, away.tries], ["passed", 2])
    })
  )

  it.effect("records the oracles' verdict next to the agent's", () =>
    Effect.gen(function* () {
      const suite = Suite.make("opinions", [
        scenario("both", function* () {
          yield* says(true)
          yield* check.oracle("one", Effect.succeed(Oracle.holds("it is there")))
          yield* check.oracle("another", Effect.succeed(Oracle.refuted("one order", "none")))
        })
      ])
      const { report } = yield* run([suite])
      const [trial] = report.results[0]?.trials ?? []
      assert.deepStrictEqual(
        [trial?.verdict, trial?.opinions],
        ["claimed", { oracle: false, agent: true, judge: null }]
      )
    })
  )

  const hang = Effect.addFinalizer(() => Effect.never)

  it.effect("fails a scenario that doesn't release its resources, without delaying the end", () =>
    Effect.gen(function* () {
      const { report, result } = yield* results([hang, Effect.void])
      assert.deepStrictEqual([result?.verdict, report.interrupted], ["failed", false])
      assert.deepStrictEqual(
        [result?.failure?.kind, result?.failure?.message],
        ["timeout", "did not release its resources within 10 s of its end"]
      )
    })
  )

  it.effect("reports a scenario's own failure before a failed release", () =>
    Effect.gen(function* () {
      const { result } = yield* results([Effect.andThen(hang, check.equal<unknown>(1, 2, "the mug"))])
      assert.deepStrictEqual([result?.verdict, result?.failure?.message], ["failed", "the mug"])
    })
  )

  it.effect("gives up on uninterruptible work after its time limit and that of the release", () =>
    Effect.gen(function* () {
      const { result, trial } = yield* results([Effect.uninterruptible(Effect.never)], { timeout: "20 seconds" })
      assert.deepStrictEqual([result?.verdict, result?.failure?.message], ["failed", "timed out after 20 s"])
      assert.strictEqual(trial?.duration_ms, 30_000)
    })
  )

  it.effect("waits no longer than that for a trial that is stopped manually", () =>
    Effect.gen(function* () {
      const suite = suiteOf("suite", [
        ["waits", Effect.never],
        ["holds on", Effect.uninterruptible(Effect.never)]
      ])
      const verdicts: Array<string> = []
      const told = Effect.tap(run([suite]), ({ report }) =>
        Effect.sync(() => verdicts.push(...report.results.map(({ verdict }) => verdict)))
      )
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(told))
      yield* TestClock.adjust("1 second")
      yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.await(fiber)
      assert.deepStrictEqual(verdicts, ["skipped", "skipped"])
    })
  )

  it.effect("keeps control characters in a response from the terminal and a job's log", () =>
    Effect.gen(function* () {
      const text = "red \u001b[31m\u0007\r\n  ::error::not ours\n\ttab"
      const plain = "red \\u001b[31m\\u0007\n  \\::error::not ours\n\ttab"
      const thrown = yield* results([Effect.die(new Error(text))])
      assert.strictEqual(thrown.result?.failure?.message, `Error: ${plain}`)
      const seen = yield* results([check.that("::debug::it", false, { expected: text, actual: text })])
      const { actual, expected, message } = seen.result?.failure ?? {}
      assert.deepStrictEqual([message, expected, actual], ["\\::debug::it", plain, plain])
    })
  )
})
