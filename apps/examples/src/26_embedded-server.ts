/**
 * The simulated service inside a program of your own, on a free port, with a third of all runs failing.
 *
 * Run: npm run example -- 26_embedded-server
 */
import { PollSchedule } from "@webagent/polling"
import { Server, SimulatedService } from "@webagent/simulation"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

/** A v4 client of whichever server it is given. */
const layerClient = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) => V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
)

// the same seed and the same keys, the same outcomes
const layerServer = SimulatedService.layer({ seed: 7, failureRate: 1 / 3, turnDuration: "20 millis" })

// the usual first look after two seconds would be all that a run of 20 ms takes
const polling = Layer.succeed(PollSchedule.Current, PollSchedule.every("10 millis"))

export const layer = layerClient.pipe(Layer.provide([layerServer, FetchHttpClient.layer, polling]))

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const inputs = Array.from({ length: 30 }, (_, index) => ({ task: `Buy mug number ${index}` }))
  const { results } = yield* runs.runAll(inputs, {
    // the server draws a run's outcome from its seed and the key of the create; by default a client uses a new key each
    // time
    idempotencyKey: (_, index) => `mug-${index}`
  })
  const ended = results.map((exit) => (Exit.isSuccess(exit) ? exit.value.status : "without an end"))
  return Object.fromEntries(
    ["completed", "failed"].map((status) => [status, ended.filter((one) => one === status).length])
  )
})
