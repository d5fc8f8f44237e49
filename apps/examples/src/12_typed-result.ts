/**
 * The result of a run is whatever the agent says. A schema makes it a value with a type, or an error that keeps the run.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 12_typed-result
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Offer = Schema.Struct({ airline: Schema.String, price: Schema.Number, currency: Schema.String })

// an agent may answer with JSON, or with text that contains nothing but JSON: either will do
const task = `Find the cheapest direct flight from Oslo to Rome in May. Answer with JSON: { airline, price, currency }.`

export const find = Effect.fn("find")(function* (task: string) {
  const runs = yield* Runs
  const { result } = yield* runs.createAndWait({ task }, { result: Offer })
  return `${result.airline}: ${result.price.toFixed(2)} ${result.currency}`
})

export const program = find(`${task} [simulate output={"airline":"Norwegian","price":89,"currency":"EUR"}]`).pipe(
  // the run is paid for: what it answered, and what it cost, is in the error
  Effect.catchTag("ResultMismatchError", ({ run }) => Effect.succeed(`No offer, but an answer: ${run.result}`)),
  Effect.catchTag(["RunFailedError", "RunCancelledError"], ({ message }) => Effect.succeed(message))
)
