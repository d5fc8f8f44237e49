/**
 * Checks the result of a run with a schema. You get a typed value, or an error that contains the run.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 12_typed-result
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Offer = Schema.Struct({ airline: Schema.String, price: Schema.Number, currency: Schema.String })

// a result that is JSON text is parsed before the schema checks it
const task = `Find the cheapest direct flight from Oslo to Rome in May. Answer with JSON: { airline, price, currency }.`

export const find = Effect.fn("find")(function* (task: string) {
  const runs = yield* Runs
  const { result } = yield* runs.createAndWait({ task }, { result: Offer })
  return `${result.airline}: ${result.price.toFixed(2)} ${result.currency}`
})

export const program = find(`${task} [simulate output={"airline":"Norwegian","price":89,"currency":"EUR"}]`).pipe(
  // you paid for this run, so the error contains its result and its cost
  Effect.catchTag("ResultMismatchError", ({ run }) => Effect.succeed(`No offer, but a result: ${run.result}`)),
  Effect.catchTag(["RunFailedError", "RunCancelledError"], ({ message }) => Effect.succeed(message))
)
