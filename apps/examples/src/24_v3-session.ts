/**
 * Creates a v3 session from a task, and waits for its result.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 24_v3-session
 */
import { Sessions, V3 } from "@webagent/v3"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const sessions = yield* Sessions
  const session = yield* sessions.createAndWait({
    task: "Find the cheapest direct flight from Oslo to Rome in May [simulate output=Norwegian]",
    thinkingLevel: "low"
  })
  return { status: session.status, result: session.result }
})

export const layer = V3.layer()
