import { apiKeyHeader } from "@webagent/contract/Wire"
import { Server } from "@webagent/server"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Capabilities from "./Capabilities.ts"
import { type Connection } from "./Target.ts"

const apiKey = "wak_embedded"

/** The simulated service inside this process, on a free port, for as long as the scope lives. */
export const start = Effect.fnUntraced(function* (seed: number) {
  const layer = Server.layerSimulated({ seed, apiKeys: [apiKey], turnDuration: "20 millis" })
  const server = Context.get(yield* Layer.build(layer), Server)
  return {
    simulated: true,
    apiKey: Redacted.make(apiKey),
    info: {
      name: "simulated service",
      address: server.address,
      baseUrls: server.baseUrls,
      apiKeyHeader,
      capabilities: Capabilities.of({ ours: true, simulated: true, allowPaid: false, v2SessionId: undefined })
    }
  } satisfies Connection
})
