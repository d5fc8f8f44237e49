import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import * as FileLock from "../src/FileLock.ts"

const fileIn = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = join(yield* fs.makeTempDirectoryScoped(), "entries.json")
  return { fs, path, lock: `${path}.lock` }
})

/** Lets virtual time pass until an effect that also waits for files is done. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust("20 millis")
      yield* TestClock.withLive(Effect.sleep("1 millis"))
    }
    return yield* Fiber.join(fiber)
  })

describe("FileLock", () => {
  it.effect("takes over the lock of a killed writer, once if several are waiting", () =>
    Effect.gen(function* () {
      const { fs, lock, path } = yield* fileIn
      yield* fs.writeFileString(lock, "of a killed one")
      let running = 0
      let most = 0
      const change = FileLock.withLock(
        path,
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          yield* Effect.sleep("40 millis")
          running--
        })
      )
      yield* inTime(Effect.all([change, change, change], { concurrency: "unbounded" }))
      assert.strictEqual(most, 1)
      assert.deepStrictEqual(yield* fs.readDirectory(join(path, "..")), [])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("doesn't take a lock that another writer has taken over", () =>
    Effect.gen(function* () {
      const { fs, lock, path } = yield* fileIn
      yield* FileLock.withLock(path, fs.writeFileString(lock, "of another one"))
      assert.strictEqual(yield* fs.readFileString(lock), "of another one")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("names the file if it can't be locked", () =>
    Effect.gen(function* () {
      const { path } = yield* fileIn
      const { message } = yield* Effect.flip(FileLock.withLock(join(path, "entries.json"), Effect.void))
      assert.match(message, /entries\.json cannot be changed: /u)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
