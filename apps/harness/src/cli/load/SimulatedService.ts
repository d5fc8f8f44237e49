import { apiKeyHeader } from "@webagent/contract/Wire"
import type { LoadTarget } from "@webagent/load/LoadPlan"
import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { program } from "../Program.ts"
import * as ServerProcess from "../ServerProcess.ts"

/** The key of a simulated service that only this machine can reach. */
const apiKey = "wak_test"

/**
 * Starts `serve` of this program in another process, so that the load and the service do not wait for each other in one
 * event loop; it ends with the scope. `profile` says how it behaves.
 */
export const start = (profile: string | undefined) =>
  ServerProcess.start({
    program: process.argv[1] ?? "",
    flags: ["--api-key", apiKey, ...(profile === undefined ? [] : ["--profile", profile])],
    listening: /^simulated service on (http:\S+?),/u,
    cannotStart: (why) => usage(`Cannot start the simulated service: ${why}`),
    advice: `Start it by itself to see the reason: ${program} serve`
  }).pipe(
    Effect.map((address): LoadTarget => ({
      name: "simulated service",
      address,
      apiKey: Redacted.make(apiKey),
      apiKeyHeader,
      simulated: true
    }))
  )
