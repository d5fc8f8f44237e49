import { assert, describe, it } from "@effect/vitest"
import { check, scenario, Suite } from "@webagent/scenario"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import { TestClock } from "effect/testing"
import { findingsOf } from "@webagent/findings/Findings"
import { TrialLog } from "../../src/observe/TrialLog.ts"
import { trialKey } from "../../src/run/RunnerOptions.ts"
import { run, suiteOf } from "./stage.ts"

const names = (results: ReadonlyArray<{ readonly name: string }>) => results.map(({ name }) => name)

describe("Runner", () => {
  it.effect("runs no more scenarios in parallel than allowed", () =>
    Effect.gen(function* () {
      let now = 0
      let most = 0
      const busy = Effect.acquireUseRelease(
        Effect.sync(() => (most = Math.max(most, ++now))),
        () => Effect.sleep("1 second"),
        () => Effect.sync(() => now--)
      )
      const suite = suiteOf(
        "busy",
        Array.from({ length: 10 }, (_, index) => [`s${index}`, busy] as const)
      )
      const fiber = yield* Effect.forkChild(run([suite], { concurrency: 3 }))
      yield* TestClock.adjust("10 seconds")
      const { report } = yield* Fiber.join(fiber)
      assert.strictEqual(most, 3)
      assert.strictEqual(report.counts.passed, 10)
      assert.strictEqual(report.duration_ms, 4000)
    })
  )

  it.effect("returns results in the order of the suites, whatever order they finish in", () =>
    Effect.gen(function* () {
      const slow = suiteOf("slow", [
        ["first", Effect.sleep("3 seconds")],
        ["second", Effect.sleep("1 second")]
      ])
      const quick = suiteOf("quick", [["third", Effect.void]])
      const fiber = yield* Effect.forkChild(run([slow, quick]))
      yield* TestClock.adjust("5 seconds")
      const { events, report } = yield* Fiber.join(fiber)
      const ended = events.flatMap((event) => (event._tag === "ScenarioFinished" ? [event.result] : []))
      assert.deepStrictEqual(names(ended), ["third", "second", "first"])
      assert.deepStrictEqual(names(report.results), ["first", "second", "third"])
      assert.deepStrictEqual([events[0]?._tag, events.at(-1)?._tag], ["RunStarted", "RunFinished"])
    })
  )

  it.effect("ends a scenario at its time limit, and releases its resources", () =>
    Effect.gen(function* () {
      let released = 0
      const suite = Suite.make("slow", [
        scenario("default", function* () {
          const log = yield* TrialLog
          log.lastExchange = { method: "GET", path: "/api/v4/runs/r/status", status: 200, duration_ms: 3 }
          log.lastStatus = "running"
          yield* Effect.addFinalizer(() => Effect.sync(() => released++))
          yield* Effect.never
        }),
        scenario("its own", { timeout: "2 seconds" }, function* () {
          yield* Effect.never
        }),
        scenario("in time", function* () {
          yield* Effect.sleep("4 seconds")
          yield* check.equal(1, 1)
        })
      ])
      const fiber = yield* Effect.forkChild(run([suite], { timeout: "5 seconds" }))
      yield* TestClock.adjust("6 seconds")
      const { report } = yield* Fiber.join(fiber)
      const [first, second, third] = report.results
      assert.deepStrictEqual(
        [first?.failure?.kind, second?.failure?.kind, third?.verdict],
        ["timeout", "timeout", "passed"]
      )
      assert.deepStrictEqual([first?.duration_ms, second?.duration_ms], [5000, 2000])
      assert.strictEqual(first?.failure?.message, "timed out after 5 s")
      assert.deepStrictEqual(
        [first?.failure?.actual, first?.failure?.request?.status, second?.failure?.actual],
        ["last status: running", 200, undefined]
      )
      assert.strictEqual(released, 1)
    })
  )

  it.effect("isolates a scenario's failure, defect or leak", () =>
    Effect.gen(function* () {
      const stopped: Array<string> = []
      const suite = suiteOf("mixed", [
        ["fails", Effect.fail(new Error("the shop is closed"))],
        ["dies", Effect.die(new TypeError("no such method"))],
        ["leaks", Effect.map(TrialLog, (log) => log.openBrowsers.add("b-1"))],
        ["passes", Effect.void]
      ])
      const { report } = yield* run([suite], {
        stopBrowser: (id) => Effect.sync(() => stopped.push(id) > 0)
      })
      const [fails, dies, leaks, passes] = report.results
      assert.deepStrictEqual(
        [fails?.verdict, dies?.verdict, leaks?.verdict, passes?.verdict],
        ["failed", "failed", "failed", "passed"]
      )
      assert.deepStrictEqual([leaks?.trials[0]?.verdict, leaks?.failure], ["passed", undefined])
      assert.strictEqual(fails?.failure?.message, "Error: the shop is closed")
      assert.strictEqual(dies?.failure?.kind, "defect")
      assert.deepStrictEqual(leaks?.trials[0]?.leakedBrowsers, [{ id: "b-1", stopped: true }])
      assert.deepStrictEqual(stopped, ["b-1"])
      assert.deepStrictEqual(passes?.trials[0]?.leakedBrowsers, [])
      assert.strictEqual(passes?.checks, 1)
      assert.strictEqual(report.counts.leakedBrowsers, 1)
    })
  )

  it.effect("reports the check and the place of a failure, and never the key", () =>
    Effect.gen(function* () {
      const suite = Suite.make("checks", [
        scenario("compares", function* () {
          yield* check.equal("a", "a")
          yield* check.equal("wak_secret", "b", "the key")
        })
      ])
      const { report } = yield* run([suite])
      const failure = report.results[0]?.failure
      assert.deepStrictEqual([failure?.kind, failure?.message], ["check", "the key"])
      assert.deepStrictEqual([failure?.expected, failure?.actual], ['"b"', '"<key>"'])
      assert.match(failure?.where ?? "", /test\/run\/Runner\.test\.ts:\d+$/u)
      assert.strictEqual(report.results[0]?.checks, 2)
    })
  )

  it.effect("fails a scenario that interrupts itself", () =>
    Effect.gen(function* () {
      const suite = suiteOf("inside", [
        ["by itself", Effect.interrupt],
        [
          "by a fiber that it joins",
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(Effect.never)
            yield* Fiber.interrupt(fiber)
            yield* Fiber.join(fiber)
          })
        ],
        ["not at all", Effect.void]
      ])
      const { report } = yield* run([suite], { concurrency: 1 })
      assert.deepStrictEqual(
        report.results.map(({ failure, verdict }) => [verdict, failure?.kind, failure?.message]),
        [
          ["failed", "error", "it was interrupted from inside"],
          ["failed", "error", "it was interrupted from inside"],
          ["passed", undefined, undefined]
        ]
      )
      assert.isFalse(report.interrupted)
      assert.isNotEmpty(findingsOf(report).filter(({ severity }) => severity === "error"))
    })
  )

  it.effect("fails a trial without checks", () =>
    Effect.gen(function* () {
      let trials = 0
      const suite = Suite.make("forgetful", [
        scenario("a forgotten yield*", function* () {
          yield* Effect.void
          void check.equal(1, 2)
        }),
        scenario("the second trial", { trials: 3 }, function* () {
          if (++trials === 1) yield* check.equal(1, 1)
        })
      ])
      const { report } = yield* run([suite])
      assert.deepStrictEqual(
        report.results.map(({ failure, trials: made, verdict }) => [
          verdict,
          failure?.kind,
          failure?.message,
          made.length
        ]),
        [
          ["failed", "check", "made no check. Add one; in a function* it needs yield*.", 1],
          ["flaky", "check", "made no check. Add one; in a function* it needs yield*.", 3]
        ]
      )
      assert.match(report.results[0]?.failure?.where ?? "", /test\/run\/Runner\.test\.ts:\d+$/u)
    })
  )

  it.effect("skips a scenario whose need the target lacks, with the reason", () =>
    Effect.gen(function* () {
      let ran = false
      const suite = suiteOf("needy", [["pays", Effect.sync(() => (ran = true)), { needs: ["money"] }]])
      const { events, report } = yield* run([suite], { lacks: (need) => `no ${need} here` })
      assert.deepStrictEqual(
        [report.results[0]?.verdict, report.results[0]?.skip],
        ["skipped", { _tag: "Unserved", why: "no money here" }]
      )
      assert.isFalse(ran)
      assert.isFalse(events.some((event) => event._tag === "ScenarioStarted"))
    })
  )

  it.effect("runs all trials, and reports a scenario with some passes as flaky", () =>
    Effect.gen(function* () {
      let count = 0
      const suite = suiteOf("flaky", [
        [
          "third time",
          Effect.suspend(() => (++count === 3 ? Effect.fail(new Error("third")) : Effect.void)),
          { trials: 5 }
        ]
      ])
      const { report } = yield* run([suite])
      const [result] = report.results
      assert.deepStrictEqual(
        result?.trials.map(({ verdict }) => verdict),
        ["passed", "passed", "failed", "passed", "passed"]
      )
      assert.strictEqual(result?.verdict, "flaky")
      assert.strictEqual(result?.failure?.message, "Error: third")
      assert.isNotEmpty(findingsOf(report).filter(({ severity }) => severity === "error"))
      assert.strictEqual(new Set(result?.trials.map(({ seed }) => seed)).size, 5)
    })
  )

  it.effect("runs trials of one scenario in parallel, and reports them in order", () =>
    Effect.gen(function* () {
      let count = 0
      const trial = Effect.suspend(() => Effect.sleep(`${3 - (count++ % 3)} seconds`))
      const suite = suiteOf("repeated", [["three", trial]])
      const fiber = yield* Effect.forkChild(run([suite], { trials: 3, concurrency: 3 }))
      yield* TestClock.adjust("10 seconds")
      const { events, report } = yield* Fiber.join(fiber)
      assert.strictEqual(report.duration_ms, 3000)
      const [result] = report.results
      assert.deepStrictEqual(
        result?.trials.map(({ duration_ms, index }) => [index, duration_ms]),
        [
          [0, 3000],
          [1, 2000],
          [2, 1000]
        ]
      )
      assert.strictEqual(result?.duration_ms, 3000)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        [
          "RunStarted",
          "ScenarioStarted",
          ...Array.from({ length: 3 }, () => "TrialStarted"),
          ...Array.from({ length: 3 }, () => "TrialFinished"),
          "ScenarioFinished",
          "RunFinished"
        ]
      )
    })
  )

  it.effect("gives a single trial the same inputs as among others", () =>
    Effect.gen(function* () {
      const drawn: Array<number> = []
      const suite = suiteOf("alone", [["draws", Effect.map(Random.next, (value) => drawn.push(value))]])
      const all = yield* run([suite], { trials: 3, concurrency: 1 })
      const alone = yield* run([suite], { only: 2 })
      assert.strictEqual(drawn.length, 4)
      assert.strictEqual(drawn[3], drawn[2])
      const [trial, ...others] = alone.report.results[0]?.trials ?? []
      assert.deepStrictEqual([trial?.index, trial?.seed, others], [2, all.report.results[0]?.trials[2]?.seed, []])
    })
  )

  it.effect("fails a scenario whose cost exceeds its budget", () =>
    Effect.gen(function* () {
      const costs = (usd: string) => Effect.map(TrialLog, (log) => log.costs.set(`run-${usd}`, usd))
      const suite = suiteOf("paid", [
        ["cheap", costs("0.5"), { budget: "0.50 USD" }],
        ["dear", Effect.andThen(costs("0.30"), costs("0.40")), { budget: "0.50 USD" }]
      ])
      const { report } = yield* run([suite])
      assert.deepStrictEqual(
        report.results.map(({ verdict }) => verdict),
        ["passed", "failed"]
      )
      assert.strictEqual(report.results[1]?.failure?.kind, "budget")
      assert.strictEqual(report.results[1]?.cost_usd, "0.7")
    })
  )

  it.effect("inspects a trial after its leftovers were stopped, and the run at its end", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const breach = (invariant: string) => ({
        invariant,
        facts: { _tag: "Reported", text: `${invariant}.`, entries: [] } as const,
        resource: null
      })
      const suite = suiteOf("inspected", [["leaks", Effect.map(TrialLog, (log) => log.openBrowsers.add("b-1"))]])
      const { report } = yield* run([suite], {
        stopBrowser: (id) => Effect.sync(() => order.push(`stop ${id}`) > 0),
        inspect: ({ index, log, scenario, suite, verdict }) =>
          Effect.sync(() => {
            order.push(`inspect ${suite} ${scenario} ${index} ${verdict} ${[...log.openBrowsers].join()}`)
            return { breaches: [breach("created-twice")], trace: "traces/1.json" }
          }),
        finish: Effect.sync(() => {
          order.push("finish")
          return { breaches: [breach("left-open")], leftovers: [] }
        })
      })
      assert.deepStrictEqual(order, ["stop b-1", "inspect inspected leaks 0 passed b-1", "finish"])
      const [trial] = report.results[0]?.trials ?? []
      assert.deepStrictEqual([trial?.breaches, trial?.trace], [[breach("created-twice")], "traces/1.json"])
      assert.deepStrictEqual(report.breaches, [breach("left-open")])
      assert.isNotEmpty(findingsOf(report).filter(({ severity }) => severity === "error"))
    })
  )

  it.effect("keeps a finished trial of an earlier run without repeating it", () =>
    Effect.gen(function* () {
      const before = yield* run([suiteOf("resumed", [["twice", Effect.void, { trials: 2 }]])])
      const [first] = before.report.results[0]?.trials ?? []
      assert.isDefined(first)
      let runs = 0
      const suite = suiteOf("resumed", [["twice", Effect.sync(() => runs++), { trials: 2 }]])
      const { events, report } = yield* run([suite], {
        done: new Map([[trialKey("resumed", "twice", 0), { ...first, verdict: "failed" }]])
      })
      assert.strictEqual(runs, 1)
      assert.strictEqual(report.results[0]?.verdict, "flaky")
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "TrialStarted" ? [event.index] : [])),
        [1]
      )
    })
  )

  it.effect("derives random inputs from seed, suite and scenario only", () =>
    Effect.gen(function* () {
      const drawn = (seed: number, order: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const seen: Record<string, number | undefined> = {}
          const draw = (name: string) => Effect.map(Random.next, (value) => (seen[name] = value))
          yield* run(
            [
              suiteOf(
                "random",
                order.map((name) => [name, draw(name)] as const)
              )
            ],
            { seed, concurrency: 1 }
          )
          return seen
        })
      const first = yield* drawn(1, ["a", "b"])
      assert.deepStrictEqual(yield* drawn(1, ["b", "a"]), { b: first["b"], a: first["a"] })
      assert.notStrictEqual(first["a"], first["b"])
      assert.notStrictEqual((yield* drawn(2, ["a"]))["a"], first["a"])
    })
  )

  it.effect("stops, releases and reports running scenarios when it is interrupted", () =>
    Effect.gen(function* () {
      const began = yield* Deferred.make<void>()
      let released = false
      let reported = false
      const suite = Suite.make("long", [
        scenario("done", function* () {
          yield* check.equal(1, 1)
        }),
        scenario("runs", function* () {
          yield* Effect.addFinalizer(() => Effect.sync(() => (released = true)))
          yield* Deferred.succeed(began, undefined)
          yield* Effect.never
        }),
        scenario("waits", function* () {
          yield* Effect.never
        })
      ])
      let statuses: ReadonlyArray<unknown> = []
      const fiber = yield* Effect.forkChild(
        Effect.uninterruptible(
          Effect.map(run([suite], { concurrency: 1 }), ({ report }) => {
            reported = report.interrupted
            statuses = report.results.map(({ skip, verdict }) => skip ?? verdict)
          })
        )
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      const stopped = { _tag: "Stopped" } as const
      assert.isTrue(reported)
      assert.isTrue(released)
      assert.deepStrictEqual(statuses, ["passed", stopped, stopped])
    })
  )
})
