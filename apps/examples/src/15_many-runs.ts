/**
 * Runs many tasks, three at a time. If one fails, the others continue, and the sum of their costs is exact.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 15_many-runs
 */
import { Runs } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const cities = [
  "Athens [simulate output=Aegean cost=0.1]",
  "Berlin [simulate output=Norwegian cost=0.2]",
  "Lisbon [simulate output=TAP cost=0.05]",
  'Atlantis [simulate cost=0.01 outcome=failed error="no airport"]'
]

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const inputs = cities.map((city) => ({ task: `Find the cheapest direct flight from Oslo to ${city}` }))
  const { cost, results } = yield* runs.runAll(inputs, {
    result: Schema.String,
    concurrency: 3,
    onProgress: ({ ended, event, failed, total }) =>
      event === "created" ? Effect.void : Effect.log(`${ended} of ${total} have ended, ${failed} without a result`)
  })
  return {
    // one result per input, in the same order; with stopOnFailure, no run is created after Atlantis
    found: results.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value.result] : [])),
    failed: results.flatMap((exit) => Option.toArray(Exit.findErrorOption(exit))).map(({ message }) => message),
    cost
  }
})
