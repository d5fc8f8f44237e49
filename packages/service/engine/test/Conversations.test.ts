import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Conversations from "../src/Conversations.ts"
import * as Gate from "../src/Gate.ts"
import * as TurnQueue from "../src/TurnQueue.ts"

describe("Conversations", () => {
  it.effect("a session is changed by one at a time, in the order in which they came; others do not wait", () =>
    Effect.gen(function* () {
      const { alone } = Conversations.make(Gate.make())
      const done: Array<string> = []
      const change = (sessionId: string, name: string, seconds: number) =>
        Effect.forkChild(
          alone(sessionId, () =>
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
      const conversations = Conversations.make(Gate.make())
      yield* conversations.alone("a", () => Effect.void)
      yield* Effect.flip(conversations.alone("b", () => Effect.fail("no")))
      yield* conversations.alone("c", (held) =>
        Effect.sync(() => void (held.queue = TurnQueue.append(held.queue, "turn")))
      )
      assert.deepStrictEqual(
        conversations.entries().map(([id]) => id),
        ["c"]
      )
      assert.lengthOf(conversations.takeAll(), 1)
      assert.deepStrictEqual(conversations.entries(), [])
    })
  )
})
