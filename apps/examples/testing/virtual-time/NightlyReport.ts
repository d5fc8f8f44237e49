/** An app in which an agent writes a report every night, for most of an hour. */
import { Runs } from "@webagent/v4"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** There's no report tonight. The run `runId` may continue and cost money. */
export class NoReport extends Data.TaggedError("NoReport")<{ readonly why: string; readonly runId?: string }> {}

const task = "Compare the prices of the red mug in forty shops"

const make = Effect.gen(function* () {
  const runs = yield* Runs
  return {
    /** Writes the report of a night. The night is part of the key, so that the run can be found later. */
    write: Effect.fn("NightlyReport.write")(
      function* (night: string) {
        const options = { timeout: "1 hour", idempotencyKey: `report-${night}` } as const
        const { error, result, status } = yield* runs.createAndWait({ task }, options)
        if (status !== "completed") return yield* new NoReport({ why: error ?? status })
        return result
      },
      Effect.catchTags({
        WaitTimeoutError: ({ id }) => Effect.fail(new NoReport({ why: "It takes too long.", runId: id })),
        CreateOutcomeUnknown: ({ message }) => Effect.fail(new NoReport({ why: message }))
      })
    )
  }
})

export class NightlyReport extends Context.Service<NightlyReport>()("your-app/NightlyReport", { make }) {
  static readonly layer = Layer.effect(this, this.make)
}
