/**
 * Sends a message to a run's session, which starts the next run.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 16_follow-up
 */
import { Runs, Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const sessions = yield* Sessions
  const may = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  // the API description doesn't promise a session id; without one, this fails with NoSuchElementError
  const sessionId = yield* Effect.fromNullishOr(may.sessionId)
  // if the service doesn't return the id of the next run, this fails with NextRunUnknownError
  const june = yield* sessions.followUpAndWait(sessionId, "Now the same for June")
  return [may.result, june.result]
})
