import { type PresetName, presets } from "@webagent/control"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { Engine, Turn } from "@webagent/engine"
import { Journal } from "../src/journal/Journal.ts"
import { send } from "./send.ts"
import * as SimulatedService from "../src/SimulatedService.ts"

/** Virtual service time over real sockets: nothing passes unless a test says so. */
const served = (...[options]: Parameters<typeof SimulatedService.layer>) =>
  Effect.provide(SimulatedService.layer(options))

const create = (index: number, task = "Find a red mug") =>
  send("POST", "/api/v4/runs", { body: { task: `${task} ${index}` } })

/** Lets service time pass until the fiber ends, however long the socket takes. */
const passing = (fiber: Fiber.Fiber<unknown, unknown>, step: Duration.Input = "50 millis") =>
  TestClock.adjust(step).pipe(
    Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
    Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined })
  )

const { latency: _latency, faults: _faults, ...overloaded } = presets.overloaded

describe("presets over HTTP", () => {
  it.effect("overloaded: returns 429 beyond its burst, with either form of Retry-After", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.forEach(Array.from({ length: 40 }), (_, index) => create(index))
      const accepted = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status === 429)
      assert.strictEqual(accepted.length, overloaded.limits.concurrentRuns)
      assert.strictEqual(accepted.length + refused.length, 40)
      const details = refused.map(({ body }) => body["detail"])
      const busy = overloaded.limits.burst - overloaded.limits.concurrentRuns
      assert.deepStrictEqual(details, [
        ...Array.from({ length: busy }, () => "Too many concurrent runs: at most 4"),
        ...Array.from({ length: 30 }, () => "Too many requests: at most 5 per second")
      ])
      const forms = refused.map(({ headers }) => headers.get("retry-after") ?? "")
      assert.isTrue(forms.every((form) => /^\d+$/u.test(form) || new Date(form).toUTCString() === form))
      assert.strictEqual(new Set(forms.map((form) => form.endsWith("GMT"))).size, 2)
      const { entries } = yield* Journal.use((journal) => journal.read({ type: "request" }))
      const rows = entries.filter((entry) => entry.type === "request" && entry.status === 429)
      assert.strictEqual(rows.length, refused.length)
      assert.isTrue(rows.every((entry) => entry.type === "request" && (entry.retryAfter_ms ?? 0) > 0))
    }).pipe(served({ profile: overloaded }))
  )

  it.effect("overloaded: accepts a retry once a run has finished", () =>
    Effect.gen(function* () {
      const first = yield* Effect.forEach([1, 2, 3, 4, 5], (index) => create(index, "[simulate duration=30s]"))
      assert.deepStrictEqual(
        first.map(({ status }) => status),
        [201, 201, 201, 201, 429]
      )
      assert.strictEqual(first[4]?.headers.get("retry-after"), "2")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* create(5)).status, 429)
      yield* TestClock.adjust("28 seconds")
      assert.strictEqual((yield* create(5)).status, 201)
    }).pipe(served({ profile: { ...overloaded, limits: { ...overloaded.limits, retryAfter: "seconds" } } }))
  )

  it.effect("limits: a stopped browser frees a slot for another one", () =>
    Effect.gen(function* () {
      const open = () => send("POST", "/api/v4/browsers", { body: {} })
      const [one, two, three] = yield* Effect.forEach([1, 2, 3], open)
      assert.deepStrictEqual([one?.status, two?.status, three?.status], [201, 201, 429])
      yield* send("PATCH", `/api/v4/browsers/${String(one?.body["id"])}`, { body: { action: "stop" } })
      assert.strictEqual((yield* open()).status, 201)
    }).pipe(served({ profile: { limits: { concurrentBrowsers: 2 } } }))
  )

  it.effect("limits: a finished create is replayed even to a caller at its limit", () =>
    Effect.gen(function* () {
      const once = (key: string) =>
        send("POST", "/api/v4/runs", { body: { task: "once" }, headers: { "idempotency-key": key } })
      const made = yield* once("k1")
      assert.strictEqual((yield* once("k2")).status, 429)
      const again = yield* once("k1")
      assert.deepStrictEqual([again.status, again.body["id"]], [201, made.body["id"]])
    }).pipe(served({ profile: { duration: Duration.hours(1), limits: { concurrentRuns: 1 } } }))
  )

  it.effect("latency: delays a request before it has any effect", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(create(1), { startImmediately: true })
      yield* passing(asking)
      assert.strictEqual((yield* Fiber.join(asking)).status, 201)
      const { entries } = yield* Journal.use((journal) => journal.read())
      const request = entries.find(({ type }) => type === "request")
      assert.deepNestedPropertyVal(request, "duration_ms", 300)
      const moves = entries.filter(({ type }) => type === "move")
      assert.isNotEmpty(moves)
      assert.isTrue(moves.every(({ at_ms }) => at_ms === (request?.at_ms ?? 0) + 300))
    }).pipe(served({ profile: { latency: Duration.millis(300) } }))
  )
})

/** Runs of a server with this preset, all begun at once, when all have ended. */
const runs = (profile: PresetName, count: number) =>
  Effect.gen(function* () {
    const engine = yield* Engine
    const begun = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
      engine.createSession({ task: `task ${index}`, modelParams: null, thinkingLevel: null })
    )
    yield* TestClock.adjust("1 hour")
    return yield* Effect.forEach(begun, ({ turn }) => engine.turn(turn.id))
  }).pipe(Effect.provide(SimulatedService.layerEngine({ profile })))

const share = <A>(all: ReadonlyArray<A>, is: (one: A) => boolean) => all.filter(is).length / all.length

describe("presets", () => {
  for (const [name, { description, outcomes }] of Object.entries(presets))
    it(`${name} fails the share of runs that its description names`, () => {
      const { cancelled = 0, completed = 0, failed = 0 }: Readonly<Record<string, number>> = outcomes
      const shares = [...description.matchAll(/(\d+) % of the runs fail/gu)].map(([, share]) => Number(share))
      for (const share of shares) assert.strictEqual(share, (100 * failed) / (cancelled + completed + failed))
      assert.notMatch(description, /one in \w+ fails/u)
    })

  it.effect("instant completes every run after 5 ms", () =>
    Effect.gen(function* () {
      for (const { dispatchedAt_ms, finishedAt_ms, status } of yield* runs("instant", 50)) {
        assert.deepStrictEqual([status, (finishedAt_ms ?? 0) - (dispatchedAt_ms ?? 0)], ["completed", 5])
      }
    })
  )

  it.effect("realistic takes about a minute per run with a long tail, fails 9 %, and reports each cost", () =>
    Effect.gen(function* () {
      const ended = yield* runs("realistic", 600)
      const seconds = ended
        .map(({ finishedAt_ms, startedAt_ms }) => ((finishedAt_ms ?? 0) - (startedAt_ms ?? 0)) / 1000)
        .toSorted((left, right) => left - right)
      assert.closeTo(seconds[300] ?? 0, 60, 10)
      assert.isAbove(seconds[570] ?? 0, 240)
      assert.closeTo(
        share(ended, ({ status }) => status === "failed"),
        0.09,
        0.035
      )
      assert.isTrue(ended.every(({ cost }) => Number(cost) > 0.01))
      const completed = ended.filter(({ status }) => status === "completed")
      assert.closeTo(
        share(completed, ({ judgement }) => judgement !== null),
        0.5,
        0.07
      )
      assert.isTrue(ended.every(({ judgement, status }) => judgement === null || status === "completed"))
      assert.isTrue(ended.some(({ suggestions }) => suggestions !== null))
    })
  )

  for (const { failed, name, within } of [
    { name: "flaky", failed: 0.16, within: [0.015, 0.065] },
    { name: "hostile", failed: 0.35, within: [0.15, 0.31] }
  ] as const) {
    it.effect(`${name} hits as many requests and fails as many runs as it says`, () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        // one that is reset or cut is no answer, and one that hangs is answered or left in service time
        const asking = yield* Effect.forkChild(
          Effect.forEach(Array.from({ length: 400 }), (_, index) => Effect.exit(create(index)), { concurrency: 40 }),
          { startImmediately: true }
        )
        yield* passing(asking, "500 millis")
        const { entries } = yield* journal.read({ limit: 100_000 })
        const requests = entries.filter((entry) => entry.type === "request")
        const [least, most] = within
        const hit = share(requests, ({ fault }) => fault !== null)
        assert.isTrue(hit > least && hit < most, String(hit))
        const rules = new Set(entries.flatMap((entry) => (entry.type === "fault" ? [entry.rule] : [])))
        assert.isAtLeast(rules.size, name === "flaky" ? 4 : 8)
        yield* TestClock.adjust("10 minutes")
        const moves = yield* journal.read({ type: "move", limit: 100_000 })
        const ends = moves.entries.flatMap((entry) =>
          entry.type === "move" && entry.of === "turn" && Turn.isTerminal(entry.to) ? [entry.to] : []
        )
        assert.isAbove(ends.length, 120)
        assert.closeTo(
          share(ends, (to) => to === "failed"),
          failed,
          0.1
        )
      }).pipe(served({ profile: { ...presets[name], limits: {} } }))
    )
  }
})
