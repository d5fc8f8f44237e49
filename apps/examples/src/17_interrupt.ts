/**
 * Interrupts a run with a message. The next run starts immediately, and our server cancels the current one.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 17_interrupt
 */
import { Runs, Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const sessions = yield* Sessions
  const first = yield* runs.create({ task: "Buy the red mug [simulate duration=10m]" })
  const sessionId = yield* Effect.fromNullishOr(first.sessionId)
  const second = yield* sessions.interrupt(sessionId, "Stop, the blue one!")
  const both = yield* Effect.forEach([first, second], ({ id }) => runs.untilTerminal(id), { concurrency: "unbounded" })
  return both.map((run) => run.status)
})
