/**
 * The result of a run is whatever the agent says. A schema makes it a value with a type, or an error.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/12_typed-result.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runs, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Offer = Schema.Struct({ airline: Schema.String, price: Schema.Number, currency: Schema.String })

// an agent may answer with JSON or with text that contains nothing but JSON
const Result = Schema.Union([Offer, Schema.fromJsonString(Offer)])

const task = `Find the cheapest direct flight from Oslo to Rome in May. Answer with JSON: { airline, price, currency }.
  [simulate output={"airline":"Norwegian","price":89,"currency":"EUR"}]`

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task })
  return yield* Schema.decodeUnknownEffect(Result)(run.result)
})

if (import.meta.main) {
  program.pipe(Effect.tap(Console.log), Effect.provide(V4.layerConfig), NodeRuntime.runMain)
}
