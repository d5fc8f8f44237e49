import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Database, OpenCounts } from "../src/index.ts"
import { file } from "./files.ts"
import { plansOf } from "./plans.ts"

it.live("counts of unfinished records use indexes that contain nothing else", () =>
  Effect.gen(function* () {
    const path = yield* file
    const plans = yield* plansOf(path, Effect.provide(OpenCounts.get, Database.layer({ file: path })))
    const steps = plans.flatMap((plan) => plan.steps).filter((step) => /turns|browsers|TEMP/u.test(step))
    assert.deepStrictEqual(steps, [
      "SEARCH turns USING COVERING INDEX turns_open_by_status (ended_at_ms=?)",
      "SEARCH turns USING COVERING INDEX turns_open_by_status (ended_at_ms=? AND status=?)",
      "SCAN browsers USING INDEX browsers_open",
      "SEARCH turns USING INDEX turns_open_by_status (ended_at_ms=? AND status=?)"
    ])
  })
)
