import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import control from "../../src/suites/control.ts"
import { live, runIn, serverOf } from "../run/inspected.ts"

describe("the suite about control behind a client's back", () => {
  it.live("passes on a server with a control API, and its faults do not outlast it", () =>
    Effect.gen(function* () {
      const server = yield* serverOf()
      const { report, trials } = yield* runIn(yield* server.target(), [control])
      assert.deepStrictEqual(
        trials.map(({ breaches, failure, verdict }) => [verdict, failure?.message, breaches]),
        trials.map(() => ["passed", undefined, []])
      )
      assert.deepStrictEqual([report.breaches, report.leftovers], [[], []])
      assert.deepStrictEqual(yield* server.control.faults, [])
    }).pipe(live)
  )

  it.live("names the missing control API", () =>
    Effect.gen(function* () {
      const server = yield* serverOf()
      const target = yield* server.target(false)
      const error = yield* Effect.flip(target.contextOf(1).control.cancelRun("r-1"))
      assert.strictEqual(error.message, 'This target has no control API: let the scenario say needs: ["control-api"].')
    }).pipe(live)
  )
})
