import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as FileChanges from "../../../src/cli/run/FileChanges.ts"

const watching = Effect.gen(function* () {
  const files = new Map([
    ["a.ts", "1"],
    ["b.ts", "1"]
  ])
  const fiber = yield* Effect.forkChild(FileChanges.changed(new Map(files), (path) => files.get(path) ?? "gone"))
  yield* TestClock.adjust("1 minute")
  return { files, fiber }
})

describe("changed", () => {
  it.effect("waits for a change, and returns the files", () =>
    Effect.gen(function* () {
      const { fiber, files } = yield* watching
      assert.isUndefined(fiber.pollUnsafe())
      files.set("b.ts", "2")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["b.ts"])
    })
  )

  it.effect("waits until an editor has finished: a file may disappear for a moment, or be written twice", () =>
    Effect.gen(function* () {
      const { fiber, files } = yield* watching
      for (const stamp of [undefined, "2", "3", "4"]) {
        if (stamp === undefined) files.delete("a.ts")
        else files.set("a.ts", stamp)
        yield* TestClock.adjust("200 millis")
        assert.isUndefined(fiber.pollUnsafe())
      }
      yield* TestClock.adjust("200 millis")
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["a.ts"])
    })
  )

  it.effect("ignores a file whose contents are the same again", () =>
    Effect.gen(function* () {
      const { fiber, files } = yield* watching
      files.set("a.ts", "2")
      yield* TestClock.adjust("200 millis")
      files.set("a.ts", "1")
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
    })
  )
})
