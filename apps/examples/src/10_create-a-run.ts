/**
 * A run is created, waited for and fetched.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 10_create-a-run
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  return run.result
}).pipe(Effect.catchTag("HTTPValidationError", (error) => Effect.logError("The task was refused", error.detail)))
