/**
 * Waits again after a timeout. The run continues at the service, so its id also works after a restart.
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
  // store the id where your program finds it after a restart, then wait
  const run = yield* runs.untilTerminal(id, { timeout: "100 millis" }).pipe(
    Effect.catchTag("WaitTimeoutError", (error) =>
      // the message has the time waited, and warns that the run may continue and cost money
      Effect.andThen(Effect.logWarning(error.message), runs.untilTerminal(error.id))
    )
  )
  return run.status
})
