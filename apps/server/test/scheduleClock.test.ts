import { assert, it } from "@effect/vitest"
import { Server } from "@webagent/server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { layer } from "./node.ts"
import { folder, send } from "./program.ts"

it.effect("a schedule over a file starts its run on time after the wall clock has moved ahead of the timers", () =>
  Effect.gen(function* () {
    let ahead_ms = 0
    const clock = yield* Clock.Clock
    const jumping: Clock.Clock = new Proxy(clock, {
      get: (target, name) => {
        if (name === "currentTimeMillisUnsafe") return () => target.currentTimeMillisUnsafe() + ahead_ms
        if (name === "currentTimeMillis") return Effect.map(target.currentTimeMillis, (at) => at + ahead_ms)
        const value: unknown = Reflect.get(target, name)
        return typeof value === "function" ? value.bind(target) : value
      }
    })
    const data = join(yield* folder, "server.db")
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-30T08:00:00Z"))
      const server = yield* Layer.build(Layer.fresh(layer(data, "one", undefined, undefined, undefined, null)))
      const at = `${Context.get(server, Server).address}/admin/v1`
      const schedule = { name: "nine", cron: "0 9 * * *", run: { task: "Read the news" } }
      const { body } = yield* send(at, "K", "POST", "/schedules", schedule)
      yield* TestClock.adjust("1 minute")
      // as if the machine had been suspended
      ahead_ms = 50 * 60_000
      yield* TestClock.adjust("10 minutes")
      const { body: later } = yield* send(at, "K", "GET", `/schedules/${String(body["id"])}`)
      assert.strictEqual(later["lastDueAt"], "2026-11-30T09:00:00.000Z")
      assert.isString(later["lastRunId"])
    }).pipe(Effect.provideService(Clock.Clock, jumping))
  })
)
