/**
 * Many runs, three at a time. One that fails does not take the others with it.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... \
 *   node --conditions=@webagent/source apps/examples/src/15_many-runs.ts
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Runs, V4 } from "@webagent/v4"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

class NoFlight extends Data.TaggedError("NoFlight")<{ readonly city: string; readonly why: string }> {}

const cities = ["Athens", "Berlin", "Lisbon", "Rome", "Vienna", 'Atlantis [simulate outcome=failed error="no airport"]']

const find = Effect.fn("find")(function* (city: string) {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: `Find the cheapest direct flight from Oslo to ${city}` })
  if (run.status !== "completed") return yield* new NoFlight({ city, why: run.error ?? run.status })
  return { city, result: run.result }
})

export const program = Effect.gen(function* () {
  const [found, failed] = yield* Effect.partition(cities, find, { concurrency: 3 })
  return { found, failed }
})

if (import.meta.main) {
  program.pipe(Effect.tap(Console.log), Effect.provide(V4.layerConfig), NodeRuntime.runMain)
}
