/** The same run in Effect. Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... node first-run-effect.mjs */
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"

const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  return `${run.status} ${run.result}`
}).pipe(
  Effect.catchTag("HTTPValidationError", (error) => Effect.succeed(`The service refused the task: ${error.message}`)),
  Effect.provide(V4.layer())
)

console.log(await Effect.runPromise(program))
