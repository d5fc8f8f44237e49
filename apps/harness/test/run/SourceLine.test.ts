import { assert, describe, it } from "@effect/vitest"
import { check, scenario, Suite } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import { sourceLine } from "../../src/run/SourceLine.ts"
import { run } from "./stage.ts"

describe("sourceLine", () => {
  it("is undefined without such a file, line or text", () => {
    for (const where of ["nowhere.suite.ts:1", "test/run/SourceLine.test.ts:9999", "package.json:0", "odd"]) {
      assert.isUndefined(sourceLine(where))
    }
  })

  it.effect("is added to a failure with the difference, without the key", () =>
    Effect.gen(function* () {
      const suite = Suite.make("shop", [
        scenario("sells", function* () {
          yield* check.deepEqual({ key: "wak_secret", price: 1 }, { key: "wak_secret", price: 2 })
        })
      ])
      const { report } = yield* run([suite])
      const failure = report.results[0]?.failure
      assert.deepStrictEqual(
        failure?.source,
        'yield* check.deepEqual({ key: "<key>", price: 1 }, { key: "<key>", price: 2 })'
      )
      assert.deepStrictEqual(failure?.diff, ["  {", '    key: "<key>"', "-   price: 2", "+   price: 1", "  }"])
    })
  )
})
