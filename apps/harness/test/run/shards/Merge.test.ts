import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { TestClock } from "effect/testing"
import { partialOf } from "@webagent/report/CutShort"
import { TrialLog } from "../../../src/observe/TrialLog.ts"
import * as Money from "@webagent/cli/Money"
import { errorsOf, findingsOf } from "@webagent/findings/Findings"
import { countsOf, type RunReport } from "@webagent/report/RunReport"
import { merge, type ShardReport } from "../../../src/run/shards/Merge.ts"
import { mergeEvents } from "../../../src/run/shards/MergedEvents.ts"
import { run, suiteOf } from "../stage.ts"

const suites = [
  suiteOf("shop", [
    ["opens", Effect.void],
    ["sells", Effect.fail("sold out")],
    ["closes", Effect.void]
  ]),
  suiteOf("bank", [
    ["lends", Effect.void],
    ["fails", Effect.fail("no money")]
  ])
]

const whole = Effect.map(run(suites), ({ report }) => report)

/** A report as the shards would have written it: `shardOf` says of each result in which it is. */
const cut = (report: RunReport, of: number, shardOf: (index: number) => number): ReadonlyArray<ShardReport> => {
  const plan = report.results.map(({ name, suite }, index) => ({ suite, name, shard: shardOf(index) }))
  return Array.from({ length: of }, (_, shard) => {
    const results = report.results
      .filter((_, index) => shardOf(index) === shard + 1)
      .map((result) => ({
        ...result,
        trials: result.trials.map((trial, index) => ({ ...trial, trace: `traces/${index}.json` }))
      }))
    return {
      directory: `shard-${shard + 1}`,
      has: () => true,
      report: {
        ...report,
        header: { ...report.header, args: ["--shard", `${shard + 1}/${of}`], shard: { index: shard + 1, of, plan } },
        duration_ms: (shard + 1) * 1000,
        counts: countsOf(results),
        cost_usd: Money.sum(results.map(({ cost_usd }) => cost_usd)),
        results
      }
    }
  })
}

const sentenceOf = (shards: ReadonlyArray<ShardReport>, allowMissing = false) =>
  Result.match(merge(shards, { allowMissing }), { onFailure: (sentence) => sentence, onSuccess: () => "" })

const Cut = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))).check(Schema.isMaxLength(5))

describe("merge", () => {
  it.effect.prop(
    "restores the run from its shards, however it is split",
    [Cut],
    ([places]) =>
      Effect.gen(function* () {
        const report = yield* whole
        const shards = cut(report, 3, (index) => places[index] ?? 1)
        const merged = Result.getOrThrow(merge(shards.toReversed(), { allowMissing: false }))
        const withoutTraces = merged.report.results.map((result) => ({
          ...Struct.omit(result, ["shard"]),
          trials: result.trials.map((trial) => Struct.omit(trial, ["trace"]))
        }))
        assert.deepStrictEqual<unknown>(withoutTraces, report.results)
        assert.deepStrictEqual(merged.report.counts, report.counts)
        assert.deepStrictEqual(merged.report.header, report.header)
        assert.strictEqual(merged.report.duration_ms, 3000)
        assert.isUndefined(partialOf(merged.report))
      }),
    { arbitrary: { seed: 1 } }
  )

  it.effect("renumbers traces without duplicates, and keeps their links to trials", () =>
    Effect.gen(function* () {
      const shards = cut(yield* whole, 2, (index) => (index % 2) + 1)
      const { report, traces } = Result.getOrThrow(merge(shards, { allowMissing: false }))
      assert.deepStrictEqual(
        traces.map(({ directory, from, to }) => [directory, from, to]),
        [0, 1, 2, 3, 4].map((index) => [`shard-${(index % 2) + 1}`, "traces/0.json", `traces/${index}.json`])
      )
      assert.deepStrictEqual(
        report.results.map(({ trials }) => trials[0]?.trace),
        traces.map(({ to }) => to)
      )
      const lost = shards.map((shard) => ({ ...shard, has: () => false }))
      const without = Result.getOrThrow(merge(lost, { allowMissing: false }))
      assert.deepStrictEqual(without.traces, [])
      assert.isTrue(without.report.results.every(({ trials }) => trials.every((trial) => !("trace" in trial))))
    })
  )

  it.effect("reports a missing shard, and skips its scenarios if that is allowed", () =>
    Effect.gen(function* () {
      const [first, , third] = cut(yield* whole, 3, (index) => (index % 3) + 1)
      if (first === undefined || third === undefined) return assert.fail("there are three")
      assert.strictEqual(
        sentenceOf([first, third]),
        "Of 3 shards shard 2 is missing. Name every folder, or merge the others with --allow-missing."
      )
      const { missing, report } = Result.getOrThrow(merge([first, third], { allowMissing: true }))
      assert.deepStrictEqual(missing, [2])
      assert.deepStrictEqual(
        report.results.map(({ skip, verdict }) => skip ?? verdict),
        ["passed", { _tag: "MissingShard", shard: 2 }, "passed", "passed", { _tag: "MissingShard", shard: 2 }]
      )
      assert.strictEqual(partialOf(report)?._tag, "LostShard")
    })
  )

  it.effect("refuses anything but the shards of one run, each once, with one sentence", () =>
    Effect.gen(function* () {
      const report = yield* whole
      const [first, second] = cut(report, 2, (index) => (index % 2) + 1)
      if (first === undefined || second === undefined) return assert.fail("there are two")
      const changed = (header: Partial<RunReport["header"]>): ShardReport => ({
        ...second,
        report: { ...second.report, header: { ...second.report.header, ...header } }
      })
      const other = (what: string) => `shard-1 and shard-2 are not shards of one run: they have another ${what}.`
      assert.deepStrictEqual(
        [
          sentenceOf([]),
          sentenceOf([{ ...first, report }]),
          sentenceOf([first, { ...first, directory: "copy" }]),
          sentenceOf([first, changed({ seed: 2 })]),
          sentenceOf([first, changed({ tool: { name: "webagent-harness", version: "9.9.9" } })]),
          sentenceOf([first, changed({ trials: 5 })]),
          sentenceOf([first, changed({ shard: { index: 2, of: 2, plan: [] } })]),
          sentenceOf([first, changed({ shard: { index: 2, of: 3, plan: [] } })]),
          sentenceOf([first, { ...second, report: { ...second.report, results: [] } }]),
          sentenceOf([
            first,
            changed({ shard: { ...second.report.header.shard, index: 2, of: 2, suitesHash: "other" } })
          ]),
          sentenceOf([first, changed({ startedAt: "2026-11-22T09:12:45.000Z" })]),
          sentenceOf([first, changed({ startedAt: "2026-11-22T09:12:44.000Z" })])
        ],
        [
          "No shards to merge.",
          "shard-1 is not a shard: it was run without --shard.",
          "shard-1 and copy are both shard 1: leave one out.",
          other("seed"),
          other("version of this program"),
          other("number of trials"),
          other("split of the scenarios"),
          other("number of shards"),
          "shard-2 does not hold the scenarios of shard 2: was its report changed?",
          other("version of the scenarios"),
          "shard-1 and shard-2 are not shards of one run: they began more than a day apart.",
          ""
        ]
      )
    })
  )

  it.effect("sums up the shards' limits for the night, or uses the given ones", () =>
    Effect.gen(function* () {
      const report = yield* whole
      const limited = (
        cost: string,
        limits: ReadonlyArray<RunReport["header"]["limits"]>
      ): ReadonlyArray<ShardReport> =>
        cut(report, 2, (index) => (index % 2) + 1).map((one, index) => ({
          ...one,
          report: {
            ...one.report,
            header: { ...one.report.header, limits: limits[index] ?? {} },
            results: one.report.results.map((result, at) => (at === 0 ? { ...result, cost_usd: cost } : result))
          }
        }))
      const merged = (shards: ReadonlyArray<ShardReport>, given = {}) =>
        Result.getOrThrow(merge(shards, { allowMissing: false, limits: given })).report
      const each = { cost_usd: "5.00", time_ms: 60_000, scenarioTime_ms: 1000, requests: 10, reruns: 3 }
      const within = merged(limited("5", [each, { ...each, reruns: 4, time_ms: 90_000 }]))
      assert.deepStrictEqual(within.header.limits, {
        cost_usd: "10",
        time_ms: 90_000,
        scenarioTime_ms: 1000,
        requests: 20,
        reruns: 7
      })
      assert.strictEqual(within.cost_usd, "10")
      assert.isUndefined(within.crossed)
      // what one shard has no limit of the night has none of
      assert.deepStrictEqual(merged(limited("5", [each, {}])).header.limits, {})

      const dear = merged(limited("5.01", [each, each]))
      assert.deepStrictEqual(dear.crossed, [{ _tag: "Cost", actual_usd: "10.02", limit_usd: "10" }])
      assert.lengthOf(
        errorsOf({ ...dear, results: [] }).filter(({ kind }) => kind._tag === "RunLimitExceeded"),
        1
      )
      assert.deepInclude(
        errorsOf(dear).map(({ kind }) => kind),
        { _tag: "RunLimitExceeded", limit: { _tag: "Cost", actual_usd: "10.02", limit_usd: "10" } }
      )

      const given = merged(limited("5", [each, each]), { cost_usd: "8.00", time_ms: 1999 })
      assert.strictEqual(given.header.limits.cost_usd, "8.00")
      assert.deepStrictEqual(given.crossed, [
        { _tag: "Cost", actual_usd: "10", limit_usd: "8.00" },
        { _tag: "Time", actual_ms: 2000, limit_ms: 1999 }
      ])
      assert.isUndefined(merged(limited("5", [each, each]), { cost_usd: "10", time_ms: 2000, requests: 1 }).crossed)
    })
  )

  it.effect("excludes durations from comparison if shards ran with different parallelism", () =>
    Effect.gen(function* () {
      const report = yield* whole
      const machine = { cpu: "x", cores: 2, platform: "linux-x64", node: "24" }
      const told = (changes: ReadonlyArray<Partial<RunReport["header"]>>) => {
        const shards = cut(report, changes.length, (index) => (index % changes.length) + 1).map((one, index) => ({
          ...one,
          report: { ...one.report, header: { ...one.report.header, machine, ...changes[index] } }
        }))
        return Result.getOrThrow(merge(shards, { allowMissing: false })).report
      }
      assert.deepStrictEqual(told([{}, { limits: { reruns: 9 } }]).header.machine, machine)
      assert.isUndefined(told([{ concurrency: 4 }, { concurrency: 8 }]).header.machine)
    })
  )

  it.effect("merges the events of all shards in order of time, between one start and one end", () =>
    Effect.gen(function* () {
      const { events, report } = yield* run(suites, { concurrency: 1 })
      const shards = cut(report, 2, (index) => (index % 2) + 1)
      const merged = Result.getOrThrow(merge(shards, { allowMissing: false }))
      const written = shards.map(({ directory }, shard) => ({
        directory,
        events: events.map((event, index) => ({ at: DateTime.makeUnsafe(index * 10 + shard), event }))
      }))
      const together = mergeEvents(written, merged)
      assert.strictEqual(together.length, 2 * (events.length - 2) + 2)
      const times = together.map(({ at }) => DateTime.toEpochMillis(at))
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
      assert.deepStrictEqual([together[0]?.event._tag, together.at(-1)?.event._tag], ["RunStarted", "RunFinished"])
    })
  )
})

describe("a service that hangs in every trial", () => {
  /** One shard of two, in which the only scenario hangs, under a limit of its own or under the trial's timeout. */
  const hanging = Effect.fnUntraced(function* (index: number, scenarioTime_ms: number | undefined) {
    const limits = scenarioTime_ms === undefined ? {} : { scenarioTime_ms }
    const asks = Effect.andThen(
      Effect.map(TrialLog, (log) => (log.requests += 1)),
      Effect.never
    )
    const suite = suiteOf(`suite ${index}`, [["hangs", asks, { trials: 2 }]])
    const fiber = yield* Effect.forkChild(run([suite], { limits, timeout: "10 seconds", concurrency: 1 }))
    yield* TestClock.adjust("1 minute")
    const { report } = yield* Fiber.join(fiber)
    const plan = [1, 2].map((shard) => ({ suite: `suite ${shard}`, name: "hangs", shard }))
    const header = { ...report.header, shard: { index, of: 2, plan } }
    return { directory: `shard-${index}`, has: () => true, report: { ...report, header } } satisfies ShardReport
  })

  for (const [what, one, other] of [
    ["equal time limits for a scenario", 2000, 2000],
    ["different ones", 2000, 3000],
    ["none on one shard", 2000, undefined]
  ] as const) {
    it.effect(`fails when its shards are merged, with ${what}`, () =>
      Effect.gen(function* () {
        const shards = [yield* hanging(1, one), yield* hanging(2, other)]
        const { report } = Result.getOrThrow(merge(shards, { allowMissing: false }))
        const named = findingsOf(report)
          .filter(({ severity }) => severity === "error")
          .flatMap(({ scenarios }) => scenarios.map(({ suite }) => suite))
        assert.includeMembers(named, ["suite 1", "suite 2"])
      })
    )
  }
})
