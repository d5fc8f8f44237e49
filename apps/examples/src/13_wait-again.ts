/**
 * A wait that ends at its deadline ends nothing at the service: with the id one can wait again, also after a restart.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 13_wait-again
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const { id } = yield* runs.create({
    task: "Compare the prices of the red mug in ten shops [simulate duration=3s]"
  })
  // keep the id where a restart finds it, then wait
  const run = yield* runs.untilTerminal(id, { timeout: "100 millis" }).pipe(
    Effect.catchTag("WaitTimeoutError", (error) =>
      // says how long it waited, and that the run may go on and cost
      Effect.andThen(Effect.logWarning(error.message), runs.untilTerminal(error.id))
    )
  )
  return run.status
})
