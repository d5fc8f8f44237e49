import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as Progress from "../src/Progress.ts"

const shown = (live: boolean, begun_ms: () => number | undefined = () => 0, label?: string) =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const write = (text: string) => Effect.sync(() => void written.push(text))
    const fiber = yield* Effect.forkChild(
      Progress.show(
        12_000,
        { begun_ms, measured: () => "requests 2" },
        { live, write, ...(label === undefined ? {} : { label }) }
      )
    )
    yield* TestClock.adjust("22 seconds")
    yield* Fiber.interrupt(fiber)
    return written
  })

describe("show", () => {
  it.effect("redraws one line of a terminal every second, and clears it at the end", () =>
    Effect.map(shown(true), (written) => {
      assert.strictEqual(written.length, 24)
      assert.strictEqual(written[11], "\r\u001B[2K  t 00:11/00:12   requests 2")
      assert.strictEqual(written[12], "\r\u001B[2K  t 00:12/00:12   waiting for started work   requests 2")
      assert.strictEqual(written.at(-1), "\r\u001B[2K")
    })
  )

  it.effect("writes a line every ten seconds without a terminal", () =>
    Effect.map(shown(false), (written) =>
      assert.deepStrictEqual(written, [
        "  t 00:10/00:12   requests 2\n",
        "  t 00:12/00:12   waiting for started work   requests 2\n"
      ])
    )
  )

  it.effect("counts no time before the load begins, which a setup may delay", () => {
    let asked = 0
    return Effect.map(
      shown(false, () => (asked++ === 0 ? undefined : 14_000)),
      (written) => assert.deepStrictEqual(written, ["  starting   requests 2\n", "  t 00:06/00:12   requests 2\n"])
    )
  })

  it.effect("shows a label, such as the side of a pair", () =>
    Effect.map(shown(false, undefined, "pair 3/7 A"), (written) =>
      assert.strictEqual(written[0], "  pair 3/7 A     t 00:10/00:12   requests 2\n")
    )
  )
})
