/**
 * A follow-up: the next turn of the session that the first run belongs to, and a run of its own.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 16_follow-up
 */
import { Runs, Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const sessions = yield* Sessions
  const may = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  // the service's description does not promise it: a service without it fails here, with NoSuchElementError
  const sessionId = yield* Effect.fromNullishOr(may.sessionId)
  // a service that does not name the message's run fails with NextRunUnknownError
  const june = yield* sessions.followUpAndWait(sessionId, "Now the same for June")
  return [may.result, june.result]
})
