import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LogLines from "../../src/reporters/LogLines.ts"

describe("LogLines", () => {
  it.effect("keeps what is logged and what is printed with console, and gives the console back", () =>
    Effect.gen(function* () {
      const { log, warn } = console
      const lines: LogLines.LogLines = []
      const run = Effect.gen(function* () {
        yield* Effect.logInfo("sent")
        console.log("%d mugs in", 2, { cart: true })
        yield* Effect.promise(async () => {
          await Promise.resolve()
          console.warn("two\nlines")
        })
        return yield* Effect.fail("stopped")
      })
      assert.strictEqual(yield* Effect.flip(LogLines.keptIn(lines)(run)), "stopped")
      assert.deepStrictEqual(lines, ["  info  sent", "  log  2 mugs in { cart: true }", "  warn  two", "  warn  lines"])
      assert.deepStrictEqual([console.log, console.warn], [log, warn])
    })
  )
})
