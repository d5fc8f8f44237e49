import { assert, describe, it } from "@effect/vitest"
import { presets, type Profile } from "@webagent/control"
import { Control, Server, SimulatedService } from "@webagent/simulation"
import { V4 } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { NightlyReport, NoReport } from "./NightlyReport.ts"

const clients = Layer.unwrap(
  Effect.map(Server, ({ address }) => V4.layerClient({ baseUrl: address, apiKey: "wak_test" }))
)

/** The app as in production, with a service without a socket. Both wait on the test's clock. */
const withService = (options: SimulatedService.InProcessOptions = {}) =>
  Effect.provide(
    NightlyReport.layer.pipe(
      Layer.provide(clients),
      Layer.provideMerge(SimulatedService.layerHttpClient({ profile: slow, ...options }))
    ),
    { local: true }
  )

/** Every run takes 40 minutes, and clients may poll once a second. */
const slow: Profile = {
  ...presets.instant,
  duration: Duration.minutes(40),
  results: ["Forty prices."],
  pollInterval: Duration.millis(900)
}

/** Runs a night of two hours, and returns the report and its minutes. */
const night = Effect.gen(function* () {
  const report = yield* NightlyReport
  const writing = yield* Effect.forkChild(
    Effect.zip(Effect.result(report.write("2026-11-21")), Clock.currentTimeMillis)
  )
  yield* TestClock.adjust("2 hours")
  const [written, ended_ms] = yield* Fiber.join(writing)
  return { written, minutes: Math.floor(ended_ms / 60_000) }
})

const violations = Control.use(({ verdicts }) =>
  Effect.map(verdicts, (result) => result.verdicts.filter(({ holds }) => !holds).map(({ sentence }) => sentence))
)

const requests = Effect.map(
  Control.use((control) => control.journal({ type: "request" })),
  ({ entries }) => entries.filter((row) => row.type === "request")
)

/** Returns a 429 to the third poll of a run. */
const busy = {
  fault: { kind: "status", status: 429, retryAfter: Duration.minutes(2) },
  when: { operations: ["v4.getRunStatus"], attempts: [3] }
} as const

/** Creates a run, but loses the response. */
const lost = { fault: { kind: "reset", placement: "after-apply" }, when: { operations: ["v4.createRun"] } } as const

describe("a night", () => {
  it.effect("the report takes forty minutes, but the test doesn't", () =>
    Effect.gen(function* () {
      const { minutes, written } = yield* night
      assert.deepStrictEqual(written, Result.succeed("Forty prices."))
      assert.strictEqual(minutes, 40)
      // the create, the polls and the read of the result
      assert.isBelow((yield* requests).length, 400)
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(withService())
  )

  it.effect("the client waits two minutes if the third poll gets a 429 with Retry-After", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* night).minutes, 40)
      const polls = (yield* requests).filter(({ operation }) => operation === "v4.getRunStatus")
      const [refused, next] = polls.slice(2, 4)
      assert.deepInclude(refused, { status: 429, retryAfter_ms: 120_000 })
      assert.isAtLeast((next?.at_ms ?? 0) - (refused?.at_ms ?? 0), 120_000)
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(withService({ faults: [busy] }))
  )

  it.effect("the app survives a stalled poll, an outage of ten minutes and a cut response", () =>
    Effect.gen(function* () {
      const { written } = yield* night
      assert.deepStrictEqual(written, Result.succeed("Forty prices."))
      const faulty = (yield* requests).flatMap(({ answered, fault }) => (fault === null ? [] : [[fault, answered]]))
      assert.deepStrictEqual(faulty, [
        ["stalls", "left"],
        ["is away", "none"],
        ["cut", "part"]
      ])
      assert.deepStrictEqual(yield* violations, [])
    }).pipe(
      withService({
        faults: [
          { name: "stalls", fault: { kind: "hang" }, when: { operations: ["v4.getRunStatus"], attempts: [5] } },
          {
            name: "is away",
            fault: { kind: "refuse-connections", for: Duration.minutes(10) },
            when: { operations: ["v4.getRunStatus"], attempts: [9] }
          },
          { name: "cut", fault: { kind: "cut-body" }, when: { operations: ["v4.getRun"], attempts: [1] } }
        ]
      })
    )
  )

  it.effect("a run that takes too long is reported with its id, and continues", () =>
    Effect.gen(function* () {
      const { minutes, written } = yield* night
      assert.strictEqual(minutes, 60)
      const open = yield* Control.use((control) => control.open)
      const [run] = open.turns
      assert.deepStrictEqual(written, Result.fail(new NoReport({ why: "It takes too long.", runId: run?.id ?? "" })))
    }).pipe(withService({ profile: { ...slow, duration: Duration.hours(3) } }))
  )

  it.effect("a lost response to the create starts no second run, and the first is reported as unread", () =>
    Effect.gen(function* () {
      const { written } = yield* night
      assert.deepInclude(written, { _tag: "Failure" })
      assert.lengthOf(yield* requests, 1)
      assert.deepStrictEqual(yield* violations, ["1 run finished and was never read."])
    }).pipe(withService({ faults: [lost] }))
  )
})

describe("a bad night", () => {
  const profile: Profile = { ...slow, faults: presets.flaky.faults }

  /** Everything that happened with a seed, without the real times. */
  const journal = (seed: number) =>
    Effect.gen(function* () {
      yield* night
      const { entries } = yield* Control.use((control) => control.journal())
      return entries.map((row) => ({ ...row, realAt_ms: 0 }))
    }).pipe(
      withService({ profile, seed }),
      // the client's pauses are random, too
      Random.withSeed(seed),
      Effect.provide(TestClock.layer())
    )

  it.effect("is the same with the same seed, and different with another one", () =>
    Effect.gen(function* () {
      const first = yield* journal(8812)
      assert.isAbove(first.filter(({ type }) => type === "fault").length, 5)
      assert.deepStrictEqual(yield* journal(8812), first)
      assert.notDeepEqual(yield* journal(8813), first)
    })
  )
})
