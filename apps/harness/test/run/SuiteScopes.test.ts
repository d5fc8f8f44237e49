import { check, scenario, Suite } from "@webagent/scenario"
import * as plain from "@webagent/scenario/promise"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import { errorsOf } from "@webagent/findings/Findings"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { plain as unstyled } from "@webagent/cli/Style"
import * as Explanation from "../../src/reporters/Explanation.ts"
import { run } from "./stage.ts"

const passes = function* () {
  yield* check.isTrue(true)
}

describe("a resource of a suite", () => {
  it.live("is acquired once, on first use, and released after the suite, before the next one begins", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const shop = Suite.resource(
        Effect.acquireRelease(
          Effect.sync(() => heard.push("opened")),
          () => Effect.sync(() => heard.push("closed"))
        )
      )
      const buys = function* () {
        yield* check.equal(yield* shop, 1)
        heard.push("bought")
      }
      const suites = [
        Suite.make("shop", [scenario("buys", { trials: 2 }, buys), scenario("buys again", buys)]),
        Suite.make("next", [
          scenario("begins", function* () {
            heard.push("next")
            yield* check.isTrue(true)
          })
        ])
      ]
      const { report } = yield* run(suites, { concurrency: 1 })
      assert.strictEqual(report.counts.passed, 3)
      assert.deepStrictEqual(heard, ["opened", "bought", "bought", "bought", "closed", "next"])
    })
  )

  it.effect("is not stopped with the trial that used it first", () =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      const shop = Suite.resource(Effect.as(Deferred.await(opened), "open"))
      const suite = Suite.make("shop", [
        scenario("waits too short", { timeout: "1 second" }, function* () {
          yield* shop
        }),
        scenario("waits", { timeout: "10 seconds" }, function* () {
          yield* check.equal(yield* shop, "open")
        })
      ])
      const running = yield* Effect.forkChild(run([suite]))
      yield* TestClock.adjust("2 seconds")
      yield* Deferred.succeed(opened, undefined)
      const { report } = yield* Fiber.join(running)
      assert.deepStrictEqual(
        report.results.map(({ verdict }) => verdict),
        ["failed", "passed"]
      )
    })
  )

  it.live("is next to beforeAll and afterAll, which run once, and no scenario runs if beforeAll fails", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const say = (text: string) => async () => void heard.push(text)
      const works = Suite.make("works", [scenario("one", passes), scenario("two", passes)], {
        beforeAll: say("before"),
        afterAll: say("after")
      })
      const fails = Suite.make("fails", [scenario("one", passes)], {
        beforeAll: () => Promise.reject(new Error("no shop")),
        afterAll: say("never")
      })
      const { report } = yield* run([works, fails], { concurrency: 1 })
      assert.deepStrictEqual(heard, ["before", "after"])
      assert.deepStrictEqual(
        report.results.map(({ failure }) => failure?.message),
        [undefined, undefined, "beforeAll failed: Error: no shop"]
      )
    })
  )
})

describe("a resource that a suite cannot release", () => {
  const endings: Readonly<Record<string, readonly [suite: () => Suite.Suite, facts: object]>> = {
    "its afterAll fails": [
      () => Suite.make("shop", [scenario("one", passes)], { afterAll: () => Promise.reject(new Error("wak_secret")) }),
      { hook: "afterAll", error: "Error: <key>" }
    ],
    "its afterAll throws synchronously": [
      () =>
        Suite.make("shop", [scenario("one", passes)], {
          afterAll: () => {
            throw new TypeError("no till")
          }
        }),
      { hook: "afterAll", error: "TypeError: no till" }
    ],
    "a resource fails": [
      () => {
        const till = Suite.resource(
          () => 1,
          () => Promise.reject(new Error("stuck"))
        )
        const uses = function* () {
          yield* check.equal(yield* till, 1)
        }
        return Suite.make("shop", [scenario("one", uses)])
      },
      { error: "Error: stuck" }
    ]
  }
  for (const [what, [suite, facts]] of Object.entries(endings)) {
    it.live(`fails the run: ${what}`, () =>
      Effect.gen(function* () {
        const { report } = yield* run([suite()])
        assert.strictEqual(report.counts.passed, 1)
        assert.deepStrictEqual(
          report.breaches.map(({ facts }) => facts),
          [{ _tag: "SuiteNotReleased", suite: "shop", ...facts }]
        )
        assert.deepStrictEqual(
          report.findings?.map(({ kind }) => kind),
          report.breaches.map(
            (breach) => ({ _tag: "BrokenInvariant", invariant: "suite-not-released", breach }) as const
          )
        )
      })
    )
  }

  it.live("is explained in full once for all scenarios if beforeAll fails", () =>
    Effect.gen(function* () {
      const address = "connect ECONNREFUSED 127.0.0.1:9"
      const refused = new TypeError("fetch failed", { cause: new Error(address) })
      const suite = Suite.make("shop", [scenario("one", passes), scenario("two", passes)], {
        beforeAll: () => Promise.reject(refused)
      })
      const { report } = yield* run([suite])
      const why = `beforeAll failed: TypeError: fetch failed (${address})`
      assert.strictEqual(report.results[1]?.failure?.message, why)
      const lines = Explanation.all(report, { columns: 80, style: unstyled, replay: () => "again" })
      const [finding] = errorsOf(report)
      assert.deepStrictEqual(
        [finding?.kind._tag, finding?.kind._tag === "Failed" && finding.kind.trials, finding?.scenarios.length],
        ["Failed", 2, 2]
      )
      assert.isTrue(lines[0]?.startsWith("  ✗ "))
      assert.lengthOf(
        lines.filter((line) => line.includes("ECONNREFUSED")),
        1
      )
    })
  )

  it.live("is an infrastructure error if beforeAll had one", () =>
    Effect.gen(function* () {
      const suite = Suite.make("shop", [scenario("one", passes)], {
        beforeAll: () => Effect.fail(JSON.parse('{ "_tag": "TooManyRequestsError" }'))
      })
      const { report } = yield* run([suite])
      assert.strictEqual(report.results[0]?.verdict, "infra")
    })
  )
})

describe("a plain scenario", () => {
  it.live("counts its checks, fails at the first failing one, and uses the suite's resources", () =>
    Effect.gen(function* () {
      const shop = Suite.resource(() => ({ name: "shop" }))
      const suite = Suite.make("plain", [
        plain.scenario("passes", async ({ check, seed, use }) => {
          check.equal((await use(shop)).name, "shop")
          check.isTrue(Number.isInteger(seed))
        }),
        plain.scenario("fails", ({ check }) => {
          check.equal<number>(1, 2, "the number")
          throw new Error("not reached")
        }),
        plain.scenario("checks nothing", async () => {})
      ])
      const { report } = yield* run([suite], { concurrency: 1 })
      assert.deepStrictEqual(
        report.results.map(({ checks, failure, verdict }) => [verdict, checks, failure?.kind, failure?.message]),
        [
          ["passed", 2, undefined, undefined],
          ["failed", 1, "check", "the number"],
          ["failed", 0, "check", "made no check. Add one; in a function* it needs yield*."]
        ]
      )
      assert.match(report.results[1]?.failure?.where ?? "", /^test\/run\/SuiteScopes\.test\.ts:\d+$/u)
    })
  )

  it.live("is stopped by its time limit, as are its pending calls", () =>
    Effect.gen(function* () {
      const suite = Suite.make("plain", [
        plain.scenario("waits", { timeout: "50 millis" }, async ({ v4 }) => {
          await v4.runs.get("a")
        })
      ])
      const { report } = yield* run([suite])
      assert.strictEqual(report.results[0]?.failure?.message, "timed out after 50 ms")
    })
  )
})

describe("soft", () => {
  it.effect("reports every failing check together, and the scenario continues", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const suite = Suite.make("soft", [
        scenario("all", { soft: true }, function* () {
          yield* check.equal<string>("a", "b", "the letter")
          yield* check.isTrue(false, "it is open")
          heard.push("went on")
        })
      ])
      const { report } = yield* run([suite])
      const { checks, failure } = report.results[0] ?? {}
      assert.deepStrictEqual(
        [checks, failure?.message, heard],
        [2, "2 checks failed: the letter, it is open", ["went on"]]
      )
      const diff = failure?.diff?.map((line) => line.replace(/ {3}\S+$/u, ""))
      assert.deepStrictEqual(diff, ["  the letter", '- "b"', '+ "a"', "  it is open", "- true", "+ false"])
    })
  )
})

it.effect("a scenario that calls skip is not run, with its reason", () =>
  Effect.gen(function* () {
    const { report } = yield* run([Suite.make("s", [scenario("x", { skip: "waits for the shop" }, passes)])])
    assert.deepStrictEqual(
      report.results.map(({ skip, verdict }) => [verdict, skip]),
      [["skipped", { _tag: "Unserved", why: "waits for the shop" }]]
    )
  })
)
