/**
 * Starts the simulated service inside your own program, on a free port. A third of all runs fail.
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

/** A v4 client of the server in its context. */
const layerClient = Layer.unwrap(
  Effect.map(Server, ({ address, apiKeys }) => V4.layerClient({ baseUrl: address, apiKey: apiKeys[0] ?? "" }))
)

// the same seed and the same keys give the same outcomes
const layerServer = SimulatedService.layer({ seed: 7, failureRate: 1 / 3, turnDuration: "20 millis" })

// a run takes 20 ms, so the usual first poll after two seconds is too late
const polling = Layer.succeed(PollSchedule.Current, PollSchedule.every("10 millis"))

export const layer = layerClient.pipe(Layer.provide([layerServer, FetchHttpClient.layer, polling]))

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const inputs = Array.from({ length: 30 }, (_, index) => ({ task: `Buy mug number ${index}` }))
  const { results } = yield* runs.runAll(inputs, {
    // the outcome of a run depends on the seed and this key; by default, a client uses a new key each time
    idempotencyKey: (_, index) => `mug-${index}`
  })
  const ended = results.map((exit) => (Exit.isSuccess(exit) ? exit.value.status : "without an end"))
  return Object.fromEntries(
    ["completed", "failed"].map((status) => [status, ended.filter((one) => one === status).length])
  )
})
