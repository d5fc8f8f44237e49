import { assert, it } from "@effect/vitest"
import { Server } from "@webagent/server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import { layer } from "./node.ts"
import { folder, send } from "./program.ts"

it.effect("an idle server over a file only counts the commits of commands, and checks every 8 seconds", () =>
  Effect.gen(function* () {
    const waits = new Map<number, number>()
    const clock = yield* Clock.Clock
    const counting: Clock.Clock = new Proxy(clock, {
      get: (target, name) => {
        if (name !== "sleep") return Reflect.get(target, name)
        return (duration: Duration.Duration) => {
          const wait_ms = Duration.toMillis(duration)
          waits.set(wait_ms, (waits.get(wait_ms) ?? 0) + 1)
          return target.sleep(duration)
        }
      }
    })
    const data = join(yield* folder, "server.db")
    yield* Effect.gen(function* () {
      const server = yield* Layer.build(Layer.fresh(layer(data, "one", undefined, undefined, undefined, null)))
      const { baseUrls } = Context.get(server, Server)
      const created = yield* send(baseUrls.v4, "K", "POST", "/profiles", { name: "shop" })
      assert.strictEqual(created.status, 201)
      yield* TestClock.adjust("1 minute")
      waits.clear()
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(
        [...waits].filter(([wait_ms]) => wait_ms > 5).toSorted(([left], [right]) => left - right),
        [
          [1000, 3600],
          [8000, 450],
          [30_000, 120],
          [60_000, 60]
        ]
      )
    }).pipe(Effect.provideService(Clock.Clock, counting))
  })
)
