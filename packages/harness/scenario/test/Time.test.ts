import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Time from "../src/Time.ts"

const millis = (written: unknown) => Option.getOrUndefined(Option.map(Time.parse(written), Duration.toMillis))

describe("a time", () => {
  it("is written with a unit, in milliseconds, or as a Duration", () => {
    const times: ReadonlyArray<readonly [written: unknown, ms: number]> = [
      ["30s", 30_000],
      ["30 s", 30_000],
      [" 1.5m ", 90_000],
      ["500ms", 500],
      ["2h", 7_200_000],
      ["1d", 86_400_000],
      ["30 seconds", 30_000],
      ["5 minutes", 300_000],
      [30_000, 30_000],
      [Duration.seconds(3), 3000]
    ]
    for (const [written, ms] of times) assert.strictEqual(millis(written), ms, String(written))
  })

  it("is refused without a unit, without a value, and if it is infinite", () => {
    for (const written of ["30", "", "5 parsecs", "0s", 0, -1, Number.NaN, Infinity, "Infinity", null, {}, "-2s"]) {
      assert.isUndefined(millis(written), JSON.stringify(written))
    }
  })
})
