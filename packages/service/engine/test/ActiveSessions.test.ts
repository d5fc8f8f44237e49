import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as ActiveSessions from "../src/ActiveSessions.ts"
import * as ReadWriteLock from "../src/ReadWriteLock.ts"
import * as TurnQueue from "../src/TurnQueue.ts"

describe("ActiveSessions", () => {
  it.effect("a session is changed by one at a time, in the order in which they came; others do not wait", () =>
    Effect.gen(function* () {
      const { exclusively } = ActiveSessions.make(ReadWriteLock.make())
      const done: Array<string> = []
      const change = (sessionId: string, name: string, seconds: number) =>
        Effect.forkChild(
          exclusively(sessionId, () =>
            Effect.andThen(
              Effect.sleep(`${seconds} seconds`),
              Effect.sync(() => done.push(name))
            )
          ),
          { startImmediately: true }
        )
      const fibers = yield* Effect.all([
        change("a", "a1", 3),
        change("a", "a2", 1),
        change("b", "b", 2),
        change("a", "a3", 1)
      ])
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.joinAll(fibers)
      assert.deepStrictEqual(done, ["b", "a1", "a2", "a3"])
    })
  )

  it.effect("a session with nothing to do is not remembered, also after a failure", () =>
    Effect.gen(function* () {
      const activeSessions = ActiveSessions.make(ReadWriteLock.make())
      yield* activeSessions.exclusively("a", () => Effect.void)
      yield* Effect.flip(activeSessions.exclusively("b", () => Effect.fail("no")))
      yield* activeSessions.exclusively("c", (held) =>
        Effect.sync(() => void (held.queue = TurnQueue.append(held.queue, "turn")))
      )
      assert.deepStrictEqual(
        activeSessions.entries().map(([id]) => id),
        ["c"]
      )
      assert.lengthOf(activeSessions.takeAll(), 1)
      assert.deepStrictEqual(activeSessions.entries(), [])
    })
  )
})
