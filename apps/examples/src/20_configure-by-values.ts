/**
 * Configures a client from an application's own settings instead of WEBAGENT_*.
 *
 * Run: FLIGHTS_AGENT_URL=... FLIGHTS_AGENT_KEY=... npm run example -- 20_configure-by-values
 */
import { Runs, V4 } from "@webagent/v4"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const settings = Config.all({
  baseUrl: Config.String("FLIGHTS_AGENT_URL"),
  apiKey: Config.Redacted("FLIGHTS_AGENT_KEY")
})

export const layer = Layer.unwrap(
  Effect.map(settings, ({ apiKey, baseUrl }) =>
    V4.layer({
      // with or without /api/vN; baseUrls: { v4 } sets the address of one version
      baseUrl,
      apiKey,
      // some deployments use another header
      apiKeyHeader: "X-Service-API-Key",
      // limits one attempt, including the response's body
      requestTimeout: "10 seconds",
      headers: { "x-team": "travel" }
    })
  )
)

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const run = yield* runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
  return run.status
})
