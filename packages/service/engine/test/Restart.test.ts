import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import type { StreamingAgent } from "../src/ports/Agent.ts"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import { Store, StoreUnavailable } from "../src/ports/Store.ts"
import * as SharedWork from "../src/SharedWork.ts"
import * as ports from "./ports.ts"
import { completed, type Parts, request, standing, start, started, test } from "./starts.ts"

describe("a start after a kill", () => {
  test(
    "runs what was queued, and ends what ran with a reason and its cost",
    Effect.gen(function* () {
      let paid = false
      const first = yield* start("a", {
        perform: (_, attempt) =>
          Stream.make(started).pipe(
            Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.42" }))),
            Stream.concat(Stream.fromEffectDrain(Effect.sleep("1 hour"))),
            Stream.concat(
              Stream.fromEffectDrain(
                Effect.andThen(
                  attempt.step({ summary: "pay", address: null, picture: null }),
                  Effect.sync(() => (paid = true))
                )
              )
            )
          )
      })
      const { session } = yield* first.engine.createSession(request)
      for (const text of ["two", "three"]) {
        yield* first.engine.queue({ sessionId: session.id, text, interrupt: false })
      }
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one running 0.42", "two queued", "three queued"])
      yield* start("b", {
        perform: () =>
          Stream.concat(Stream.make(started), Stream.fromEffect(Effect.as(Effect.sleep("2 minutes"), completed)))
      })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one failed node_lost 0.42", "two running", "three queued"])
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* standing(session.id), [
        "one failed node_lost 0.42",
        "two completed",
        "three completed"
      ])
      // the one that was killed was only frozen: what it wants to pay for is refused, and changes nothing
      assert.isFalse(paid)
      assert.lengthOf(yield* Store.use((store) => store.stepsOf("turn-2")), 0)
    })
  )

  test(
    "goes on with what an agent can resume, from its checkpoint",
    Effect.gen(function* () {
      const resumed: Array<unknown> = []
      const agent: Parts = {
        agent: { resumes: () => true },
        perform: (turn, attempt) => {
          resumed.push([turn.status, turn.checkpoint, turn.attempt])
          return turn.status === "running"
            ? Stream.make(completed)
            : Stream.make(started).pipe(
                Stream.concat(Stream.fromEffectDrain(attempt.checkpoint({ page: 3 }))),
                Stream.concat(Stream.never)
              )
        }
      }
      const first = yield* start("a", agent)
      const { session } = yield* first.engine.createSession(request)
      yield* TestClock.adjust("1 minute")
      yield* start("b", agent)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
      assert.deepStrictEqual(resumed, [
        ["dispatching", null, 1],
        ["running", { page: 3 }, 2]
      ])
    })
  )

  test(
    "begins a turn again that had not begun",
    Effect.gen(function* () {
      const first = yield* start("a")
      const { session } = yield* first.engine.createSession(request)
      assert.deepStrictEqual(yield* standing(session.id), ["one dispatching"])
      yield* start("b", { perform: () => Stream.make(started, completed) })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "does not take for an earlier start's what it has just begun itself, when answers of the store are lost or late",
    Effect.gen(function* () {
      const store = yield* Store
      const first = yield* start("a")
      const lost = yield* first.engine.createSession(request)
      const late = yield* first.engine.createSession({ ...request, task: "two" })
      let commits = 0
      const shaky = Layer.succeed(Store, {
        ...store,
        commit: (step) => {
          commits++
          if (commits === 2) return Effect.andThen(Effect.sleep("10 seconds"), store.commit(step))
          if (commits > 1) return store.commit(step)
          return Effect.andThen(store.commit(step), new StoreUnavailable({ applied: "unknown", cause: "lost" }))
        }
      })
      const begun: Array<string> = []
      const second = yield* Effect.forkChild(
        start("b", {
          perform: ({ task }) => {
            begun.push(task)
            return Stream.concat(
              Stream.make(started),
              Stream.fromEffect(Effect.as(Effect.sleep("1 minute"), completed))
            )
          }
        }).pipe(Effect.provide(shaky, { local: true })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("2 minutes")
      assert.isDefined(second.pollUnsafe())
      assert.deepStrictEqual(begun, ["one", "two"])
      assert.deepStrictEqual(yield* standing(lost.session.id), ["one completed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["two completed"])
    })
  )

  test(
    "browsers of a node that is gone are stopped with a reason, and the key of one that never ran is free",
    Effect.gen(function* () {
      const safe = { key: "k", body: "b" }
      const browser = { proxyCountryCode: null }
      const first = yield* start("a")
      const { browser: ran } = yield* first.engine.createBrowser(browser)
      const stuck = yield* start("a2", {
        browsers: Layer.succeed(BrowserPool, { launch: () => Effect.never })
      })
      yield* Effect.forkDetach(stuck.engine.createBrowser(browser, safe))
      yield* TestClock.adjust("1 second")
      const unborn = (yield* Store.use((store) => store.unfinished(10))).browsers.find((id) => id !== ran.id)
      assert.strictEqual(Option.getOrThrow(yield* Store.use((store) => store.browser(unborn ?? ""))).status, "starting")
      const second = yield* start("b")
      const read = Effect.fnUntraced(function* (id: string) {
        const found = Option.getOrThrow(yield* Store.use((store) => store.browser(id)))
        return [found.status, found.stopReason]
      })
      assert.deepStrictEqual(yield* read(ran.id), ["stopped", "node_lost"])
      assert.deepStrictEqual(yield* read(unborn ?? ""), ["stopped", "launch_failed"])
      const again = yield* second.engine.createBrowser(browser, safe)
      assert.isFalse(again.replayed)
      assert.isTrue((yield* second.engine.createBrowser(browser, safe)).replayed)
    })
  )
})

describe("a close", () => {
  test(
    "cancels nothing: what runs ends with a reason and its cost, or goes on at the next start",
    Effect.gen(function* () {
      const perform: StreamingAgent["perform"] = (turn, attempt) =>
        turn.status === "running"
          ? Stream.make(completed)
          : Stream.make(started).pipe(
              Stream.concat(Stream.fromEffectDrain(attempt.used({ cost: "0.1" }))),
              Stream.concat(Stream.never)
            )
      const first = yield* start("a", { perform })
      const ended = (yield* first.engine.createSession(request)).session.id
      yield* TestClock.adjust("1 second")
      yield* first.close
      assert.deepStrictEqual(yield* standing(ended), ["one failed node_closed 0.1"])
      const able = { perform, agent: { resumes: () => true } }
      const second = yield* start("b", able)
      const { session } = yield* second.engine.createSession({ ...request, task: "two" })
      yield* TestClock.adjust("1 second")
      yield* second.close
      assert.deepStrictEqual(yield* standing(session.id), ["two running 0.1"])
      yield* start("c", able)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* standing(session.id), ["two completed 0.1"])
    })
  )
})

describe("a drain", () => {
  test(
    "waits for the turn of a take that is under way when it begins",
    Effect.gen(function* () {
      const perform = () =>
        Stream.make(started).pipe(Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep("10 seconds"), completed))))
      const store = yield* Store
      const slow = Layer.succeed(Store, {
        ...store,
        commit: (step) =>
          step.session?.lease === undefined || step.session.lease === null
            ? store.commit(step)
            : Effect.andThen(Effect.sleep("1 second"), store.commit(step))
      })
      const first = yield* Effect.provide(start("a", { perform }), slow, { local: true })
      const created = yield* Effect.forkChild(first.engine.createSession(request), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      assert.isUndefined(drained.pollUnsafe())
      yield* TestClock.adjust("25 seconds")
      assert.strictEqual(yield* Fiber.join(drained), 0)
      const { session } = yield* Fiber.join(created)
      assert.deepStrictEqual(yield* standing(session.id), ["one completed"])
    })
  )

  test(
    "lets what runs end, begins nothing more, and loses nothing that is created meanwhile",
    Effect.gen(function* () {
      const perform: StreamingAgent["perform"] = ({ task }) =>
        Stream.make(started).pipe(
          Stream.concat(
            Stream.fromEffect(Effect.as(Effect.sleep(task === "long" ? "1 hour" : "10 seconds"), completed))
          )
        )
      const first = yield* start("a", { perform })
      const { session } = yield* first.engine.createSession(request)
      yield* first.engine.queue({ sessionId: session.id, text: "two", interrupt: false })
      const long = yield* first.engine.createSession({ ...request, task: "long" })
      const drained = yield* Effect.forkChild(first.engine.drain("1 minute"), { startImmediately: true })
      const late = yield* first.engine.createSession({ ...request, task: "late" })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two queued"])
      assert.isUndefined(drained.pollUnsafe())
      yield* TestClock.adjust("50 seconds")
      assert.strictEqual(yield* Fiber.join(drained), 1)
      yield* first.close
      assert.deepStrictEqual(yield* standing(long.session.id), ["long failed node_closed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["late queued"])
      yield* start("b", { perform })
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing(session.id), ["one completed", "two completed"])
      assert.deepStrictEqual(yield* standing(late.session.id), ["late completed"])
    })
  )
})

describe("an agent", () => {
  test(
    "is asked to let go with a reason, has time for it, and what it says of its cost then counts",
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
    "that says what its turn has cost as it ends is heard, also when the turn was cancelled meanwhile",
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
    "sees its session, the turns before it, and one browser that stops with the session",
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
    "counts what its browsers carry for the session, of those that are gone, too",
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
    "restricts the session's browser for a turn: before it has it, while it runs, and not the turn after",
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

describe("an agent that counts no more", () => {
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
    ["cannot say that it lives", new StoreUnavailable({ applied: "no", cause: "cut off" })],
    ["is told that it was too late", Effect.succeed(false)],
    ["gets no answer", Effect.never]
  ] as const) {
    test(
      `stops at once, and its browser with it, when its node ${title}`,
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
    "is stopped after the event that ends its turn: the next turn begins",
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
    "is stopped when its first step is refused, also while it goes on regardless",
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

describe("a browser", () => {
  test(
    "that cannot be launched is a failure that says why, and its key is free again",
    Effect.gen(function* () {
      let full = true
      const sometimes = Layer.effect(
        BrowserPool,
        Effect.map(BrowserPool, ({ launch }) => ({
          launch: (browser) =>
            full
              ? Effect.fail(
                  new LaunchFailed({ reason: "full", message: "All 4 browsers are in use. Try again later." })
                )
              : launch(browser)
        }))
      ).pipe(Layer.provide(ports.browsers))
      const { engine } = yield* start("a", { browsers: sometimes })
      const safe = { key: "k", body: "b" }
      const refused = yield* Effect.flip(engine.createBrowser({ proxyCountryCode: null }, safe))
      assert.strictEqual(refused._tag, "LaunchFailed")
      full = false
      const made = yield* engine.createBrowser({ proxyCountryCode: null }, safe)
      assert.isFalse(made.replayed)
      const { browsers } = yield* Store.use((store) => store.records)
      assert.deepStrictEqual(
        browsers.map(({ status, stopReason }) => [status, stopReason]),
        [
          ["stopped", "launch_failed"],
          ["active", null]
        ]
      )
    })
  )

  test(
    "that ends by itself is stopped, with its reason",
    Effect.gen(function* () {
      const { engine } = yield* start("a", {
        browsers: Layer.succeed(BrowserPool, {
          launch: () =>
            Effect.succeed({
              connect: Effect.never,
              stop: Effect.void,
              ended: Effect.as(Effect.sleep("1 minute"), "ended" as const)
            })
        })
      })
      const { browser } = yield* engine.createBrowser({ proxyCountryCode: null })
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(Option.getOrThrow(yield* Store.use((store) => store.browser(browser.id))).status, "active")
      yield* TestClock.adjust("1 second")
      const ended = yield* engine.stopBrowser(browser.id)
      assert.deepStrictEqual([ended.status, ended.stopReason, ended.finishedAt_ms], ["stopped", "ended", 60_000])
    })
  )
})
