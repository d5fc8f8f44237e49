/**
 * A v3 session: created from a task, read until its result is there.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/24_v3-session.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Sessions, V3 } from "@webagent/v3"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const sessions = yield* Sessions
  const session = yield* sessions.createAndWait({
    task: "Find the cheapest direct flight from Oslo to Rome in May [simulate output=Norwegian]",
    thinkingLevel: "low"
  })
  return { status: session.status, result: session.result }
})

if (import.meta.main) {
  program.pipe(Effect.tap(Console.log), Effect.provide(V3.layerConfig), NodeRuntime.runMain)
}
