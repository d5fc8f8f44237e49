import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plain } from "@webagent/report/Style"
import type { ScenarioResult } from "@webagent/report/RunReport"
import * as Changes from "../../../src/cli/run/Changes.ts"
import { changeLines } from "../../../src/cli/run/ChangeLines.ts"
import { run, suiteOf } from "../../run/stage.ts"

const resultsOf = (told: Readonly<Record<string, Effect.Effect<unknown, string>>>) =>
  Effect.map(run([suiteOf("shop", Object.entries(told))]), ({ report }) => report.results)

const names = (results: ReadonlyArray<ScenarioResult>) => results.map(({ name }) => name)

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
  it.effect("tells what broke, what was fixed, and what fails as before or anew", () =>
    Effect.gen(function* () {
      const { broke, fixed, stillBad } = Changes.between(yield* before, yield* now)
      assert.deepStrictEqual([names(broke), names(fixed)], [["worse", "added"], ["repaired"]])
      assert.deepStrictEqual(
        stillBad.map(({ isNew, result }) => [result.name, isNew]),
        [
          ["same", false],
          ["other", true]
        ]
      )
    })
  )

  it.effect("explains what is new, and names the rest", () =>
    Effect.gen(function* () {
      const changes = Changes.between(yield* before, yield* now)
      const explain = ({ name }: ScenarioResult) => (name === "added" ? [] : [`  ✗ ${name}`, ""])
      assert.deepStrictEqual(changeLines(changes, { style: plain, explain, broken: "broke" }), [
        "  fixed          shop › repaired",
        "  still failing  shop › same",
        "  fails anew",
        "  ✗ other",
        "",
        "  broke",
        "  ✗ worse",
        "",
        "  broke          shop › added"
      ])
    })
  )

  it.effect("nothing has changed when nothing has", () =>
    Effect.gen(function* () {
      const results = yield* resultsOf({ fine: Effect.void })
      assert.deepStrictEqual(Changes.between(results, results), { broke: [], stillBad: [], fixed: [] })
    })
  )
})
