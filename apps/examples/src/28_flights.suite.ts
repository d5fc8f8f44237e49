/**
 * A suite for the harness. It runs on the simulated service, or on yours with --target.
 *
 * Run: npm run harness -- run apps/examples/src/28_flights.suite.ts
 */
import { check, Oracle, scenario, Suite } from "@webagent/scenario"
import * as Schema from "effect/Schema"

const Offer = Schema.Struct({ price: Schema.Number, currency: Schema.String })

export default Suite.make("flights", [
  scenario(
    "an offer has a price in euro",
    { needs: ["money"], tags: ["nightly"], trials: 3, budget: "1.50 USD", timeout: "10 minutes" },
    function* ({ simulate, v4 }) {
      const task = "Find the cheapest direct flight from Oslo to Rome. Answer with JSON: { price, currency }."
      // a simulated agent follows the added instructions; a real one reads them as part of the task
      const run = yield* v4.runs.createAndWait({ task: simulate(task, { output: { price: 89, currency: "EUR" } }) })
      yield* check.equal(run.status, "completed", "the run's status")
      const offer = yield* check.schema(Offer, run.result, "the offer")
      yield* check.equal(offer.currency, "EUR", "the currency")
      yield* check.that("a flight costs less than a car", offer.price < 1000, {
        expected: "less than 1000",
        actual: offer.price
      })
    }
  ),

  scenario("the session stores the task unchanged", { needs: ["money", "shared-sessions"] }, function* ({ v2, v4 }) {
    const task = "Find the cheapest direct flight from Oslo to Rome"
    const { sessionId } = yield* v4.runs.createAndWait({ task })
    // an oracle doesn't rely on the agent's result
    const stored = Oracle.make(v2.sessions.get(sessionId ?? ""), ({ tasks }) =>
      tasks[0]?.task === task
        ? Oracle.holds("the session's first task matches")
        : Oracle.refuted(task, tasks[0]?.task ?? "no task")
    )
    yield* check.oracle("the session holds the task", stored)
  }),

  scenario("a request without a key is refused", function* ({ request }) {
    const response = yield* request("v4", { method: "POST", path: "/runs", body: { task: "Say hello" }, apiKey: null })
    yield* check.status(response, "4xx")
  }),

  scenario("an unknown run is not found", { needs: ["assumptions"] }, function* ({ v4 }) {
    yield* check.fails(v4.runs.get("no-such-run"), "RunNotFoundError")
  })
])
