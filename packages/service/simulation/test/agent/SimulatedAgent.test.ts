import * as records from "@webagent/test-fixtures/Records"
import { presets, type Profile } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Turn } from "@webagent/engine"
import * as SimulatedAgent from "../../src/agent/SimulatedAgent.ts"
import { Behavior, type BehaviorOptions } from "../../src/behavior/Behavior.ts"

const turn = Turn.make(records.turn)

const reportOf = (event: Turn.TurnEvent | undefined): ReadonlyArray<Turn.TurnReport> =>
  event !== undefined && "report" in event && event.report !== undefined ? [event.report as Turn.TurnReport] : []

const schedule = (given: Turn.Turn) => Effect.map(SimulatedAgent.make, (agent) => agent.schedule(given))

/** What the agent foresees of a turn, by default one that it is given now, with the time of each event. */
const perform = (changes: Partial<Turn.Turn>, options: BehaviorOptions = {}) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const given: Turn.Turn = { ...turn, status: "dispatching", dispatchedAt_ms: now, ...changes }
    const timeline = yield* schedule(given)
    const happens = (standing: Turn.Turn) => {
      const { at_ms, event } = timeline.next(standing)
      return [Math.max(now, at_ms), event()] as const
    }
    if (given.status === "running") return [happens(given)]
    const start = happens(given)
    return [start, happens({ ...given, status: "running", startedAt_ms: start[0] })]
  }).pipe(Effect.provide(Behavior.layer(options)))

const prices: BehaviorOptions = { profile: { cost: { start: "0.05", perMinute: "0.2" } } }

const end = (changes: Partial<Turn.Turn>, options?: BehaviorOptions) =>
  Effect.map(perform(changes, options), (events) => events[1]?.[1])

describe("SimulatedAgent", () => {
  it.effect("fails a turn that would cost more than its budget, at that cost", () =>
    Effect.gen(function* () {
      const of = (cost: string) =>
        end({ task: "[simulate cost=0.5]", budget: { cost, tokens: null, duration_ms: null } })
      const stopped = yield* of("0.2")
      assert.deepInclude(stopped, { _tag: "Failed", failure: "cost_limit" })
      assert.strictEqual(reportOf(stopped)[0]?.cost, "0.2")
      assert.propertyVal(yield* of("0.5"), "_tag", "Completed")
    })
  )

  it.effect("starts after a tenth of the duration and finishes after all of it", () =>
    Effect.gen(function* () {
      const events = yield* perform({}, { turnDuration: "1 second" })
      assert.deepStrictEqual(
        events.map(([at, event]) => [at, event._tag]),
        [
          [100, "Started"],
          [1000, "Completed"]
        ]
      )
    })
  )

  it.effect("spreads its cost evenly over its time, and never above the final cost", () =>
    Effect.gen(function* () {
      const running = { ...turn, status: "running" as const, startedAt_ms: 1000 }
      const usedAt = Effect.fnUntraced(function* (given: Turn.Turn, at_ms: number) {
        const { used } = yield* schedule(given)
        return used?.(given, at_ms)
      })
      const scripted = { ...running, task: "[simulate cost=1 duration=100s]" }
      assert.deepStrictEqual(yield* usedAt({ ...scripted, startedAt_ms: null }, 10_000), {})
      for (const [at_ms, cost] of [
        [0, "0"],
        [1000, "0"],
        [46_000, "0.5"],
        [91_000, "1"],
        [900_000, "1"]
      ] as const) {
        assert.strictEqual((yield* usedAt(scripted, at_ms))?.cost, cost, String(at_ms))
      }
      const minute = { ...running, task: "[simulate duration=200s]" }
      assert.strictEqual((yield* usedAt(minute, 61_000))?.cost, "0.25")
      const [ended] = yield* perform(minute, prices)
      const atEnd = yield* usedAt(minute, 900_000)
      assert.deepStrictEqual(
        [atEnd?.cost],
        reportOf(ended?.[1]).map(({ cost }) => cost)
      )
    }).pipe(Effect.provide(Behavior.layer(prices)))
  )

  it.effect("prefers a script to the options", () =>
    Effect.gen(function* () {
      const task =
        "[simulate duration=2s recording=true proxyMb=3 judge=false suggestions=1 success=false output=mug cost=1.5]"
      const [first, second] = yield* perform({ task }, { turnDuration: "1 second", failureRate: 1 })
      assert.deepStrictEqual(first, [200, { _tag: "Started", settings: { recording: true }, proxyUsedMb: "3" }])
      // failureRate 1 still holds: the script says nothing of the outcome
      assert.deepStrictEqual(second?.[1], {
        _tag: "Failed",
        error: "Made up: the profile default fails every run. Choose another profile.",
        report: {
          output: "mug",
          isSuccess: false,
          judgement: {
            verdict: false,
            reasoning: "Made up: the simulated judge rejects the result.",
            failureReason: "Made up: the task asks for this verdict with judge=false."
          },
          suggestions: [{ category: "simulated", message: "Simulated suggestion 1." }],
          cost: "1.5"
        }
      })
    })
  )

  for (const [script, output] of [
    ["[simulate output=null]", null],
    ["[simulate output=false]", false],
    ['[simulate output=""]', ""],
    ["[simulate]", "Simulated result of: [simulate]"],
    ["[simulate outcome=failed]", null]
  ] as const) {
    it.effect(`${script} reports ${JSON.stringify(output)}`, () =>
      Effect.map(end({ task: script }), (event) => assert.deepNestedPropertyVal(event, "report.output", output))
    )
  }

  for (const [outcome, tag] of [
    ["completed", "Completed"],
    ["failed", "Failed"],
    ["cancelled", "Cancelled"]
  ] as const) {
    it.effect(`outcome=${outcome} ends with ${tag}`, () =>
      Effect.map(end({ task: `[simulate outcome=${outcome}]` }, { failureRate: 0.5 }), (event) =>
        assert.strictEqual(event?._tag, tag)
      )
    )
  }

  it.effect("fails a turn immediately if its script can't be read, with the reason", () =>
    Effect.gen(function* () {
      const [, last] = yield* perform({ task: "[simulate colour=red]" })
      assert.strictEqual(last?.[0], 0)
      assert.match(
        last?.[1]._tag === "Failed" ? last[1].error : "",
        /^Unknown key "colour" in the script\. Known are /u
      )
    })
  )

  it.effect("draws durations around 150 ms and outcomes at the failure rate, by the turn's id", () =>
    Effect.gen(function* () {
      const runs = yield* Effect.forEach(Array.from({ length: 300 }), (_, index) =>
        perform({ id: `turn-${index}` }, { failureRate: 0.25, seed: 3 })
      )
      const durations = runs.map(([first, last]) => (last?.[0] ?? 0) - (first?.[0] ?? 0)).toSorted((a, b) => a - b)
      assert.closeTo((durations[150] ?? 0) / 0.9, 150, 25)
      const failed = runs.filter(([, last]) => last?.[1]._tag === "Failed").length
      assert.closeTo(failed / 300, 0.25, 0.08)
    })
  )

  it.effect("sends the same report for the same seed and turn, and another cost for another seed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* end({}, { seed: 1 }), yield* end({}, { seed: 1 }))
      assert.notDeepEqual(yield* end({}, { seed: 1 }), yield* end({}, { seed: 2 }))
    })
  )

  describe("with a profile", () => {
    const many = (profile: Profile, count = 400) =>
      Effect.forEach(Array.from({ length: count }), (_, index) => perform({ id: `turn-${index}` }, { profile }))
    const reports = (profile: Profile, count?: number) =>
      Effect.map(many(profile, count), (runs) => runs.flatMap(([, last]) => reportOf(last?.[1])))
    const share = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean) => all.filter(is).length / all.length

    it.effect("draws dispatch time and duration independently", () =>
      Effect.gen(function* () {
        const profile: Profile = {
          dispatch: Duration.seconds(2),
          duration: { uniform: { min: Duration.seconds(10), max: Duration.seconds(20) } }
        }
        // each of them is given an hour
        const times = (yield* many(profile, 20)).map((events) => events.map(([at]) => at % 3_600_000))
        assert.isTrue(times.every(([started, ended = 0]) => started === 2000 && ended >= 12_000 && ended <= 22_000))
        assert.isAbove(new Set(times.map(([, ended]) => ended)).size, 15)
      })
    )

    it.effect("draws outcomes by their weights, and results and errors from the lists", () =>
      Effect.gen(function* () {
        const runs = yield* many({
          outcomes: { completed: 6, failed: 3, cancelled: 1 },
          results: ["one", { two: 2 }],
          errors: ["no door", "no key"]
        })
        const ends = runs.flatMap(([, last]) => (last === undefined ? [] : [last[1]]))
        assert.closeTo(
          share(ends, ({ _tag }) => _tag === "Failed"),
          0.3,
          0.06
        )
        assert.closeTo(
          share(ends, ({ _tag }) => _tag === "Cancelled"),
          0.1,
          0.05
        )
        const errors = ends.flatMap((event) => (event._tag === "Failed" ? [event.error] : []))
        assert.deepStrictEqual([...new Set(errors)].toSorted(), ["no door", "no key"])
        const outputs = ends.flatMap((event) => (event._tag === "Completed" ? reportOf(event) : []))
        assert.strictEqual(new Set(outputs.map(({ output }) => JSON.stringify(output))).size, 2)
      })
    )

    it.effect("names the profile and its share in a failure without its own text, and doesn't blame a page", () =>
      Effect.gen(function* () {
        const runs = yield* many(presets.realistic, 100)
        const errors = runs.flatMap(([, last]) => (last?.[1]._tag === "Failed" ? [last[1].error] : []))
        assert.deepStrictEqual(
          [...new Set(errors)],
          ["Made up: the profile realistic fails 9 % of its runs. Run it again or choose another profile."]
        )
        const scripted = yield* end({ task: "[simulate outcome=failed]" }, { profile: "realistic" })
        assert.deepNestedPropertyVal(scripted, "error", "Made up: the task asks for this failure with outcome=failed.")
      })
    )

    it.effect("makes an unscripted result of the task's text, or a value of the task's schema", () =>
      Effect.gen(function* () {
        const ids = Array.from({ length: 30 }, (_, index) => `turn-${index}`)
        const outputs = (given: Partial<Turn.Turn>) =>
          Effect.map(
            Effect.forEach(ids, (id) => end({ id, task: "Find a mug", ...given }, { profile: "realistic" })),
            (events) => [
              ...new Set(
                events.flatMap((event) => (event?._tag === "Completed" ? [JSON.stringify(event.report.output)] : []))
              )
            ]
          )
        assert.deepStrictEqual(yield* outputs({}), ['"Simulated result of: Find a mug"'])
        const outputSchema = {
          type: "object",
          properties: {
            shop: { $ref: "#/$defs/shop" },
            offers: {
              type: "array",
              items: { type: "object", properties: { price: { type: "number", minimum: 4.5 } } }
            },
            inStock: { type: ["boolean", "null"] },
            color: { enum: ["red", "blue"] },
            size: { anyOf: [{ type: "integer" }, { type: "null" }] }
          },
          $defs: {
            shop: { type: "object", properties: { name: { type: "string" }, parent: { $ref: "#/$defs/shop" } } }
          }
        }
        const [text = "null", ...others] = yield* outputs({ outputSchema })
        assert.isEmpty(others)
        const { shop, ...result } = JSON.parse(text)
        assert.deepStrictEqual(result, { offers: [{ price: 5 }], inStock: true, color: "red", size: 1 })
        assert.strictEqual(shop.parent.name, "Simulated name")
      })
    )

    it.effect("treats a missing weight as 0", () =>
      Effect.map(reports({ outcomes: { failed: 1 } }, 20), (all) =>
        assert.isTrue(all.every(({ output }) => output === null))
      )
    )

    it.effect("calculates the exact cost from a fixed part and a part per minute", () =>
      Effect.gen(function* () {
        const cost = { start: "0.01", perMinute: "0.03" }
        const [report] = yield* reports({ cost, dispatch: Duration.minutes(1), duration: Duration.seconds(90) }, 1)
        assert.strictEqual(report?.cost, "0.055")
        const [bare] = yield* reports({ cost: {}, duration: Duration.seconds(90) }, 1)
        assert.strictEqual(bare?.cost, "0")
      })
    )

    it.effect("reports its own and the judge's verdict", () =>
      Effect.gen(function* () {
        const selfReport = { completed: 0.9, failed: 0.2 }
        const completed = yield* reports({ selfReport, judge: { enabled: 0.5, agrees: 0.8 } })
        assert.closeTo(
          share(completed, ({ isSuccess }) => isSuccess === true),
          0.9,
          0.05
        )
        const judged = completed.flatMap(({ judgement }) => judgement ?? [])
        assert.closeTo(judged.length / completed.length, 0.5, 0.08)
        assert.closeTo(
          share(judged, ({ verdict }) => verdict),
          0.8,
          0.08
        )
        assert.isTrue(judged.every(({ failureReason, verdict }) => verdict === (failureReason === null)))
        const failed = yield* reports({
          selfReport,
          outcomes: { failed: 1 },
          errors: ["no door"],
          judge: { enabled: 1 }
        })
        assert.closeTo(
          share(failed, ({ isSuccess }) => isSuccess === true),
          0.2,
          0.06
        )
        // there is no result to judge
        assert.isTrue(failed.every(({ judgement }) => judgement === null))
      })
    )

    it.effect("adds suggestions and proxies to some runs", () =>
      Effect.gen(function* () {
        const profile: Profile = {
          suggestions: { rate: 0.4, max: 2 },
          proxy: { rate: 0.3, mb: { min: 1, max: 2 } }
        }
        const runs = yield* many(profile)
        const counts = runs.map(([, last]) => reportOf(last?.[1])[0]?.suggestions?.length ?? 0)
        assert.closeTo(
          share(counts, (count) => count > 0),
          0.4,
          0.08
        )
        assert.deepStrictEqual([...new Set(counts)].toSorted(), [0, 1, 2])
        const proxied = runs.flatMap(([first]) =>
          first?.[1]._tag === "Started" && first[1].proxyUsedMb !== undefined ? [Number(first[1].proxyUsedMb)] : []
        )
        assert.closeTo(proxied.length / runs.length, 0.3, 0.08)
        assert.isTrue(proxied.every((mb) => mb >= 1 && mb <= 2))
      })
    )

    it.effect("prefers a script to the profile", () =>
      Effect.gen(function* () {
        const profile: Profile = {
          dispatch: Duration.minutes(1),
          outcomes: { failed: 1 },
          judge: { enabled: 1 },
          proxy: { rate: 1, mb: { min: 5, max: 5 } }
        }
        const task = "[simulate outcome=completed duration=10s output=mug cost=3 judge=true proxyMb=1]"
        const [first, last] = yield* perform({ task }, { profile })
        assert.deepStrictEqual(first, [1000, { _tag: "Started", settings: {}, proxyUsedMb: "1" }])
        assert.strictEqual(last?.[0], 10_000)
        const [report] = reportOf(last?.[1])
        assert.deepStrictEqual([report?.output, report?.cost, report?.judgement?.verdict], ["mug", "3", true])
      })
    )

    it.effect("draws a session's settings once, whichever of its turns asks", () =>
      Effect.gen(function* () {
        const agent = yield* SimulatedAgent.make
        const ids = Array.from({ length: 300 }, (_, index) => `session-${index}`)
        const drawn = ids.map((id) => agent.settings?.(id))
        assert.deepStrictEqual(
          ids.map((id) => agent.settings?.(id)),
          drawn
        )
        assert.closeTo(
          share(drawn, (settings) => settings?.keepAlive === true),
          0.5,
          0.1
        )
        assert.isTrue(drawn.every((settings) => settings?.persistMemory === false && settings.recording === undefined))
      }).pipe(Effect.provide(Behavior.layer({ profile: { session: { keepAlive: 0.5, persistMemory: 0 } } })))
    )

    it.effect("keeps the profile and the seed that applied when a turn began", () =>
      Effect.gen(function* () {
        const behavior = yield* Behavior
        const { schedule } = yield* SimulatedAgent.make
        const given: Turn.Turn = { ...turn, status: "running", startedAt_ms: 0 }
        const first = schedule(given)
        yield* behavior.set({ outcomes: { failed: 1 }, duration: Duration.hours(1) })
        const second = schedule(given)
        yield* behavior.reseed(7)
        // one for all turns that begin under the same conditions, and another for others
        assert.strictEqual(new Set([first, second, schedule(given), schedule(given)]).size, 3)
        assert.deepStrictEqual(
          [first, second].map((schedule) => schedule.next(given)).map(({ at_ms, event }) => [at_ms, event()._tag]),
          [
            [60_000, "Completed"],
            [3_600_000, "Failed"]
          ]
        )
      }).pipe(Effect.provide(Behavior.layer({ profile: { duration: Duration.minutes(1) } })))
    )
  })

  describe("after a snapshot is restored", () => {
    const profile: Profile = { dispatch: Duration.seconds(10), duration: Duration.seconds(50) }

    it.effect("continues a running turn without starting it again", () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("30 seconds")
        const events = yield* perform({ status: "running", dispatchedAt_ms: 0, startedAt_ms: 10_000 }, { profile })
        assert.deepStrictEqual(
          events.map(([at, event]) => [at, event._tag]),
          [[60_000, "Completed"]]
        )
      })
    )

    it.effect("dispatches a turn for the remaining time, and finishes an overdue one immediately", () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("4 seconds")
        const events = yield* perform({ status: "dispatching", dispatchedAt_ms: 0 }, { profile })
        assert.deepStrictEqual(
          events.map(([at, event]) => [at, event._tag]),
          [
            [10_000, "Started"],
            [60_000, "Completed"]
          ]
        )
        yield* TestClock.adjust("1 hour")
        const [late] = yield* perform({ status: "running", dispatchedAt_ms: 0, startedAt_ms: 0 }, { profile })
        assert.deepStrictEqual([late?.[0], late?.[1]._tag], [3_604_000, "Completed"])
      })
    )
  })

  it.effect("takes time to stop a turn that is cancelled", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* schedule(turn)).stopDelay_ms(turn), 5000)
    }).pipe(Effect.provide(Behavior.layer({ profile: { letGo: Duration.seconds(5) } })))
  )
})
