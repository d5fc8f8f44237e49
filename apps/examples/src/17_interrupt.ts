/**
 * A message that interrupts: it runs immediately, and our server cancels the run that was at work.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/17_interrupt.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runs, Sessions, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const sessions = yield* Sessions
  const first = yield* runs.create({ task: "Buy the red mug [simulate duration=10m]" })
  const sessionId = yield* Effect.fromNullishOr(first.sessionId)
  const second = yield* sessions.interrupt(sessionId, "Stop, the blue one!")
  const ended = yield* Effect.forEach([first, second], ({ id }) => runs.untilTerminal(id), { concurrency: "unbounded" })
  return ended.map((run) => run.status)
})

if (import.meta.main) {
  program.pipe(Effect.tap(Console.log), Effect.provide(V4.layerConfig), NodeRuntime.runMain)
}
