import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plain } from "@webagent/cli/Style"
import type { ScenarioResult } from "@webagent/report/RunReport"
import * as Changes from "../../../src/cli/run/Changes.ts"
import { run, suiteOf } from "../../run/stage.ts"

const resultsOf = (told: Readonly<Record<string, Effect.Effect<unknown, string>>>) =>
  Effect.map(run([suiteOf("shop", Object.entries(told))]), ({ report }) => report.results)

const before = resultsOf({
  repaired: Effect.fail("a"),
  worse: Effect.void,
  same: Effect.fail("b"),
  other: Effect.fail("c"),
  gone: Effect.fail("d"),
  fine: Effect.void
})

const now = resultsOf({
  repaired: Effect.void,
  worse: Effect.fail("e"),
  same: Effect.fail("b"),
  other: Effect.fail("f"),
  added: Effect.fail("g"),
  fine: Effect.void
})

describe("Changes", () => {
  const explain = ({ name }: ScenarioResult) => (name === "added" ? [] : [`  ✗ ${name}`, ""])

  it.effect("explains new failures, and names the others", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Changes.lines(yield* before, yield* now, { style: plain, explain }), [
        "  fixed          shop › repaired",
        "  still failing  shop › same",
        "  other failure",
        "  ✗ other",
        "",
        "  broke",
        "  ✗ worse",
        "",
        "  broke          shop › added"
      ])
    })
  )

  it.effect("explains failures of the first run", () =>
    Effect.gen(function* () {
      const results = yield* resultsOf({ fine: Effect.void, bad: Effect.fail("a") })
      assert.deepStrictEqual(Changes.lines(undefined, results, { style: plain, explain }), ["  fails", "  ✗ bad", ""])
    })
  )

  it.effect("reports nothing if nothing has changed", () =>
    Effect.gen(function* () {
      const results = yield* resultsOf({ fine: Effect.void })
      assert.deepStrictEqual(Changes.lines(results, results, { style: plain, explain }), [])
    })
  )
})
