import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { tmpdir } from "node:os"
import { watch } from "../../src/pool/Watch.ts"

it.effect("Watch checks every two seconds while there is a browser, and otherwise not at all", () =>
  Effect.gen(function* () {
    let looks = 0
    const running = new Set([{ pid: process.pid, folder: tmpdir(), end: () => Effect.void }])
    const browsers = () => {
      looks++
      return [...running]
    }
    const one = [...running]
    running.clear()
    const wake = yield* watch(browsers, { memory_bytes: Number.MAX_SAFE_INTEGER, disk_bytes: Number.MAX_SAFE_INTEGER })
    yield* TestClock.adjust("10 minutes")
    assert.isAtMost(looks, 2)
    one.forEach((browser) => running.add(browser))
    wake()
    looks = 0
    yield* TestClock.adjust("9 seconds")
    assert.isAtLeast(looks, 2)
    running.clear()
    yield* TestClock.adjust("2 seconds")
    looks = 0
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(looks, 0)
  }).pipe(Effect.scoped)
)
