import { assert, describe, it } from "@effect/vitest"
import { Control, Server } from "@webagent/simulation"
import { Browsers, Runs, Sessions } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { apiKey, findings, layer, made, on, requests } from "./stage.ts"

const stopped = Effect.gen(function* () {
  assert.deepStrictEqual(yield* findings("browsers-left-open"), [])
})

/** The first stops of every browser fail. */
const stopsFail = [
  on("v4.updateBrowser", { kind: "status", status: 503 }, [1]),
  on("v4.updateBrowser", { kind: "reset", placement: "after-apply" }, [2]),
  on("v4.updateBrowser", { kind: "status", status: 429 }, [3]),
  on("v4.updateBrowser", { kind: "redirect" }, [4])
]

describe("paid resources", () => {
  it.live(
    "W10: include a browser, which is stopped after success, failure, a timeout and an interruption, even if stops fail",
    () =>
      Effect.gen(function* () {
        const browsers = yield* Browsers
        assert.strictEqual(yield* browsers.use({}, () => Effect.succeed("done")), "done")
        assert.strictEqual(yield* Effect.flip(browsers.use({}, () => Effect.fail("no mug"))), "no mug")
        yield* Effect.exit(browsers.use({}, () => Effect.die("bug")))
        const used = yield* Queue.unbounded<void>()
        const using = browsers.use({}, () => Effect.andThen(Queue.offer(used, undefined), Effect.never))
        yield* Effect.raceFirst(using, Effect.delay(Queue.take(used), "5 millis"))
        const fiber = yield* Effect.forkChild(using)
        yield* Queue.take(used)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* made("browser"), 5)
        assert.isAtLeast((yield* requests("v4.updateBrowser")).length, 25)
        yield* stopped
      }).pipe(Effect.provide(layer({ faults: stopsFail })))
  )

  it.live("W10: include a browser whose create is interrupted in flight, which is stopped", () =>
    Effect.gen(function* () {
      const browsers = yield* Browsers
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(browsers.acquire(), Effect.never)))
      yield* Effect.repeat(Effect.andThen(Effect.sleep("2 millis"), made("browser")), { until: (count) => count === 1 })
      yield* Fiber.interrupt(fiber)
      yield* stopped
    }).pipe(
      Effect.provide(layer({ faults: [on("v4.createBrowser", { kind: "slow-headers", for: Duration.millis(200) })] }))
    )
  )

  it.live("W10: don't outlive await using, an abort or a closed WebAgent, nor does a poll", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const often = { first: 0, every: "5 millis" } as const
      yield* Effect.promise(async () => {
        await using agent = new WebAgent({ baseUrl: address, apiKey })
        {
          await using browser = await agent.browsers.create()
          assert.match(browser.cdpUrl, /^ws:/u)
        }
        const { id } = await agent.runs.create({ task: "[simulate duration=1h]" })
        for await (const { status } of agent.runs.watch(id, often)) {
          assert.isString(status)
          break
        }
        const controller = new AbortController()
        const { signal } = controller
        const use = () => {
          setTimeout(() => controller.abort(), 50)
          return agent.runs.untilTerminal(id, { ...often, signal })
        }
        const error: unknown = await agent.browsers.use({}, use, { signal }).catch((error: unknown) => error)
        assert.instanceOf(error, Error)
        await agent.browsers.create()
      })
      assert.strictEqual(yield* made("browser"), 3)
      yield* stopped
      const before = (yield* requests("v4.getRunStatus")).length
      for (let calls = 0; calls < 30; calls++) yield* Effect.promise(() => fetch(address).then((it) => it.text()))
      yield* Effect.sleep("100 millis")
      // the service may learn after its client that the last poll was given up
      assert.isAtMost((yield* requests("v4.getRunStatus")).length, before + 1)
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W10: include a run, which the caller's effect can stop when its wait ends", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const control = yield* Control
      const cancel = ({ id }: { readonly id: string }) => control.cancelRun(id)
      const run = yield* runs.createAndWait({ task: "[simulate duration=1h]" }, { timeout: "50 millis", cancel })
      assert.strictEqual(run.status, "cancelled")
      const fiber = yield* Effect.forkChild(runs.createAndWait({ task: "[simulate duration=1h]" }, { cancel }))
      yield* Effect.repeat(Effect.andThen(Effect.sleep("2 millis"), made("turn")), { until: (count) => count === 2 })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual((yield* control.open).turns, [])
    }).pipe(Effect.provide(layer({})))
  )

  it.live("W15: need no events to continue a session, because a follow-up is a run to wait for", () =>
    Effect.gen(function* () {
      const runs = yield* Runs
      const sessions = yield* Sessions
      const { sessionId } = yield* runs.createAndWait({ task: "[simulate output=one keepAlive=true]" })
      const next = yield* Effect.exit(sessions.followUpAndWait(sessionId ?? "", "[simulate output=two]"))
      assert.strictEqual(Exit.isSuccess(next) && next.value.result, "two")
    }).pipe(Effect.provide(layer({})))
  )
})
