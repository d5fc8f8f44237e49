/**
 * Uses all three versions in one app: creates a run with v4, and reads it with v2 and v3. Our servers share sessions.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 25_three-versions
 */
import { ClientConfig, Transport } from "@webagent/core"
import { Sessions as V2Sessions, V2 } from "@webagent/v2"
import { Sessions as V3Sessions, V3 } from "@webagent/v3"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const v2 = yield* V2Sessions
  const v3 = yield* V3Sessions
  const run = yield* runs.createAndWait({ task: "Buy the red mug [simulate output=ordered cost=0.0132 judge=true]" })
  const sessionId = yield* Effect.fromNullishOr(run.sessionId)
  const [asV2, asV3] = yield* Effect.all([v2.get(sessionId), v3.get(sessionId)], { concurrency: 2 })
  return {
    v2: asV2.tasks.map(({ cost, judgeVerdict, output, status }) => ({ cost, judgeVerdict, output, status })),
    v3: { status: asV3.status, result: asV3.result },
    v4: { status: run.status, result: run.result }
  }
})

export const layer = Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
  Layer.provide(Transport.layer),
  Layer.provide([ClientConfig.layerConfig, FetchHttpClient.layer])
)
