import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { BrowserPool } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import * as ports from "./ports.ts"
import { completed, request, standing, start, started, test } from "./starts.ts"

describe("an agent", () => {
  test(
    "receives the reason when it's asked to stop, gets time to finish, and its final cost counts",
    Effect.gen(function* () {
      const heard: Array<string> = []
      const { engine } = yield* start("a", {
        agent: { grace_ms: 5000 },
        perform: ({ task }, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffectDrain(
              Effect.gen(function* () {
                yield* attempt.used({ cost: "0.5", tokens: { input: 10, output: 2 } })
                heard.push(yield* attempt.cancelled)
                yield* Effect.sleep(task === "slow" ? "1 hour" : "1 second")
                heard.push(`${task} is tidy`)
              }).pipe(Effect.ensuring(Effect.ignore(attempt.used({ cost: "0.7" }))))
            )
          )
      })
      const { session, turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      yield* engine.queue({ sessionId: session.id, text: "slow", interrupt: true })
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.5", "slow queued"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.7", "slow running 0.5"])
      assert.deepStrictEqual((yield* engine.turn(turn.id)).tokens, { input: 10, output: 2 })
      yield* engine.stopSession(session.id)
      yield* TestClock.adjust("4999 millis")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.7", "slow cancelled 0.5"])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.7", "slow cancelled 0.7"])
      assert.deepStrictEqual(heard, ["interrupt", "one is tidy", "session_stopped"])
    })
  )

  test(
    "pauses between steps while a person controls its browser, and continues after that",
    Effect.gen(function* () {
      let paused: Effect.Effect<number> = Effect.succeed(-1)
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            Stream.make(started),
            Stream.fromEffect(
              Effect.gen(function* () {
                paused = attempt.paused_ms
                yield* Effect.scoped(Effect.orDie(attempt.browser))
                for (const summary of ["one", "two", "three"]) {
                  yield* Effect.sleep("1 second")
                  yield* attempt.step({ summary, address: null, picture: null })
                  yield* attempt.stepEnded(null)
                }
                return completed
              })
            )
          )
      })
      const { session, turn } = yield* engine.createSession(request)
      yield* TestClock.adjust("1500 millis")
      const { browserId } = (yield* engine.session(session.id)).session
      const steps = Effect.map(engine.steps(turn.id), (all) =>
        all.map(({ ended, summary }) => [summary, ended !== undefined])
      )
      yield* engine.takeControl(browserId ?? "", "ann", 60_000)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* steps, [["one", true]])
      assert.strictEqual(yield* paused, 9500)
      assert.deepInclude(yield* engine.browser(browserId ?? ""), { driver: { name: "ann", until_ms: 61_500 } })
      yield* engine.releaseControl(browserId ?? "")
      assert.isNull((yield* engine.browser(browserId ?? "")).driver)
      yield* TestClock.adjust("100 millis")
      assert.deepStrictEqual(yield* steps, [
        ["one", true],
        ["two", true]
      ])
      yield* engine.takeControl(browserId ?? "", "ann", 5000)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "running")
      // the same driver extends it, which is no change
      yield* engine.takeControl(browserId ?? "", "ann", 2000)
      yield* TestClock.adjust("2 seconds")
      assert.isNull((yield* engine.browser(browserId ?? "")).driver)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* engine.turn(turn.id)).status, "completed")
      const events = (yield* engine.events.eventsAfter(0, 100)).flatMap(({ event }) =>
        event.control === undefined ? [] : [`${event.of} ${event.to} ${event.control}`]
      )
      const change = (control: string) => [`browser active ${control}`, `turn running ${control}`]
      assert.deepStrictEqual(events, ["taken", "released", "taken", "expired"].flatMap(change))
    })
  )

  test(
    "can report its turn's cost at the end, even if the turn was cancelled meanwhile",
    Effect.gen(function* () {
      const { engine } = yield* start("a", {
        agent: { grace_ms: 5000 },
        perform: ({ task }, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.5" }))),
            Stream.concat(
              Stream.fromEffect(
                Effect.as(
                  attempt.cancelled,
                  task === "one"
                    ? { _tag: "Cancelled" as const, report: { cost: "0.7" } }
                    : { _tag: "Completed" as const, report: { cost: "0.9", output: "late" } }
                )
              )
            )
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 second")
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: true })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.7", "two running 0.5"])
      yield* engine.stopSession(session.id)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled 0.7", "two cancelled 0.9"])
    })
  )

  test(
    "gets its session, the earlier turns, and one browser that stops with the session",
    Effect.gen(function* () {
      const seen: Array<string> = []
      let launches = 0
      const counting = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => ({
          launch: (browser) => Effect.tap(launch(browser), () => Effect.sync(() => launches++))
        }))
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* start("a", {
        browsers: counting,
        perform: (_, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(
              Stream.fromEffectDrain(
                Effect.gen(function* () {
                  const { isNew } = yield* attempt.browser
                  const earlier = yield* attempt.earlier
                  seen.push(
                    `${attempt.session.id}: ${earlier.map(({ task }) => task).join()}; ${isNew ? "new" : "known"}`
                  )
                }).pipe(Effect.scoped)
              )
            ),
            Stream.concat(Stream.make(completed))
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(seen, [`${session.id}: ; new`, `${session.id}: one; known`])
      assert.strictEqual(launches, 1)
      const { browsers } = yield* Store.use((store) => store.unfinished(10))
      assert.lengthOf(browsers, 1)
      yield* engine.stopSession(session.id)
      yield* TestClock.adjust("1 second")
      const browser = Option.getOrThrow(yield* Store.use((store) => store.browser(browsers[0] ?? "")))
      assert.deepStrictEqual([browser.status, browser.stopReason], ["stopped", "session_stopped"])
    })
  )

  test(
    "counts the traffic of all browsers of its session, including stopped ones",
    Effect.gen(function* () {
      const crashes: Array<Deferred.Deferred<"crashed">> = []
      const counting = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => ({
          launch: (browser) =>
            Effect.map(launch(browser), (launched) => {
              const crash = Deferred.makeUnsafe<"crashed">()
              const n = crashes.push(crash)
              return { ...launched, bytes: Effect.succeed(n * 1_500_000), ended: Deferred.await(crash) }
            })
        }))
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* start("a", {
        browsers: counting,
        perform: (_, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(Stream.fromEffectDrain(Effect.scoped(attempt.browser))),
            Stream.concat(Stream.make(completed))
          )
      })
      const { session } = yield* engine.createSession(request)
      const used = Effect.map(engine.session(session.id), ({ session: { browserId, proxyCost, proxyUsedMb } }) => ({
        browserId: browserId ?? "",
        seen: [proxyUsedMb, proxyCost]
      }))
      yield* TestClock.adjust("1 second")
      const first = yield* used
      assert.deepStrictEqual(first.seen, ["1.5", "0"])
      yield* Deferred.succeed(crashes[0] ?? assert.fail("no browser"), "crashed")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* used).seen, ["1.5", "0"])
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* used).seen, ["4.5", "0"])
      yield* engine.stopSession(session.id)
      yield* TestClock.adjust("1 second")
      const last = yield* used
      assert.deepStrictEqual(last.seen, ["4.5", "0"])
      const bytesOf = (id: string) =>
        Store.use((store) => Effect.map(store.browser(id), (found) => Option.getOrThrow(found).bytes))
      assert.deepStrictEqual([yield* bytesOf(first.browserId), yield* bytesOf(last.browserId)], [1_500_000, 3_000_000])
    })
  )

  test(
    "restricts the session's browser during its turn only, starting before it gets the browser",
    Effect.gen(function* () {
      const told: Array<ReadonlyArray<string> | null> = []
      const restricted = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => ({
          launch: (browser) =>
            Effect.map(launch(browser), (launched) => ({
              ...launched,
              allowDomains: (domains) => Effect.sync(() => void told.push(domains))
            }))
        }))
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* start("a", {
        browsers: restricted,
        perform: ({ task }, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(
              Stream.fromEffectDrain(
                Effect.gen(function* () {
                  if (task === "one") yield* attempt.allowDomains(["example.com"])
                  yield* attempt.browser
                  if (task === "one") yield* attempt.allowDomains(["*.example.com"])
                }).pipe(Effect.scoped)
              )
            ),
            Stream.concat(Stream.make(completed))
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(told, [["example.com"], ["*.example.com"], null])
    })
  )
})

describe("an agent whose turn is over or lost", () => {
  const ticking = (ticks: Array<string>) =>
    Stream.fromEffectDrain(
      Effect.forever(
        Effect.andThen(
          Effect.sleep("1 second"),
          Effect.sync(() => ticks.push("tick"))
        )
      )
    )

  for (const [title, renewal] of [
    ["cannot renew its lease", new StoreUnavailable({ applied: "no", cause: "cut off" })],
    ["renewed its lease too late", Effect.succeed(false)],
    ["gets no response to a renewal", Effect.never]
  ] as const) {
    test(
      `is stopped immediately, as is its browser, if its node ${title}`,
      Effect.gen(function* () {
        const store = yield* Store
        const ticks: Array<string> = []
        let renewals = 0
        const { engine } = yield* start("a", {
          agent: { grace_ms: 3_600_000 },
          perform: (_, attempt) =>
            Stream.make(started).pipe(
              Stream.concat(Stream.fromEffectDrain(Effect.scoped(attempt.browser))),
              Stream.concat(ticking(ticks))
            ),
          browsers: Layer.effect(
            BrowserPool,
            Effect.map(BrowserPool, ({ launch }) => ({
              launch: (browser) =>
                Effect.map(launch(browser), (launched) => ({
                  ...launched,
                  stop: Effect.sync(() => void ticks.push("browser stopped"))
                }))
            }))
          ).pipe(Layer.provide(ports.browsers)),
          work: SharedWork.layer({ every: "5 seconds", patience: "30 seconds" })
        }).pipe(
          Effect.provide(
            Layer.succeed(Store, {
              ...store,
              renew: (...told) => (++renewals > 1 ? renewal : store.renew(...told))
            }),
            { local: true }
          )
        )
        yield* engine.createSession(request)
        yield* TestClock.adjust("31 seconds")
        const told = ticks.length
        assert.include(ticks, "tick")
        assert.include(ticks, "browser stopped")
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(ticks, told)
      })
    )
  }

  test(
    "is stopped after the event that finishes its turn, so the next turn starts",
    Effect.gen(function* () {
      const ticks: Array<string> = []
      const { engine } = yield* start("a", {
        perform: () => Stream.concat(Stream.make(started, completed), ticking(ticks))
      })
      const { session } = yield* engine.createSession(request)
      yield* engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
      assert.deepStrictEqual(ticks, [])
    })
  )

  test(
    "is stopped if its first step is refused, even if it ignores the error",
    Effect.gen(function* () {
      const ticks: Array<string> = []
      const { engine } = yield* start("a", {
        perform: (_, attempt) =>
          Stream.concat(
            // a step before the turn is running is none
            Stream.fromEffectDrain(Effect.ignore(attempt.step({ summary: "pay", address: null, picture: null }))),
            ticking(ticks)
          )
      })
      const { session } = yield* engine.createSession(request)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one cancelled"])
      assert.deepStrictEqual(ticks, [])
    })
  )
})
