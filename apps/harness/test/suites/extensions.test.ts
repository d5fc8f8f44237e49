import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import extensions from "../../src/suites/extensions.ts"
import { live, runIn, serverOf } from "../run/inspected.ts"

describe("the suite about operations of published clients", () => {
  it.live("passes on our server, and leaves nothing running", () =>
    Effect.gen(function* () {
      const server = yield* serverOf()
      const { report, trials } = yield* runIn(yield* server.target(), [extensions])
      assert.deepStrictEqual(
        trials.map(({ breaches, failure, name, verdict }) => [name, verdict, failure?.message, breaches]),
        trials.map(({ name }) => [name, "passed", undefined, []])
      )
      assert.isAbove(trials.length, 8)
      assert.deepStrictEqual([report.breaches, report.leftovers], [[], []])
    }).pipe(live)
  )

  it.live("detects a service that lacks an operation", () =>
    Effect.gen(function* () {
      const lacking = { fault: { kind: "status", status: 405 }, when: { operations: ["v4.cancelRun"] } } as const
      const server = yield* serverOf({ faults: [lacking] })
      const { trials } = yield* runIn(yield* server.target(), [extensions])
      const failed = trials.filter(({ verdict }) => verdict === "failed").map(({ name }) => name)
      assert.include(failed, "canceling a running run makes it cancelled")
    }).pipe(live)
  )
})
