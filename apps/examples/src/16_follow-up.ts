/**
 * A follow-up: the next turn of the session that the first run belongs to, and a run of its own.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/16_follow-up.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runs, Sessions, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const sessions = yield* Sessions
  const may = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  // the service's description promises neither field: a service without them fails here, with NoSuchElementError
  const sessionId = yield* Effect.fromNullishOr(may.sessionId)
  const message = yield* sessions.queue(sessionId, { text: "Now the same for June" })
  const june = yield* runs.untilTerminal(yield* Effect.fromNullishOr(message.runId))
  return [may.result, june.result]
})

if (import.meta.main) {
  program.pipe(Effect.tap(Console.log), Effect.provide(V4.layerConfig), NodeRuntime.runMain)
}
