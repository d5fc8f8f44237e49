import { apiKeyHeader } from "@webagent/contract/Wire"
import { ControlClient, type JournalEntry } from "@webagent/control"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { IdempotencyKey } from "@webagent/core"
import { ControlServer, Journal, Server, SimulatedService, verdictsOf } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Capabilities from "./Capabilities.ts"
import { type Connection } from "./Target.ts"
import * as Introspection from "./Introspection.ts"

const apiKey = "wak_embedded"

/** Introspection of the server in this process. Its rows arrive without HTTP, so none is ever missed. */
const introspection = Effect.fnUntraced(function* (journal: Journal["Service"], control: ControlClient.ControlClient) {
  let rows: Array<JournalEntry> = []
  yield* journal.observe((row) => void rows.push(row))
  return {
    ...(yield* Introspection.remote(control, verdictsOf)),
    rows: Effect.sync(() => {
      const taken = rows
      rows = []
      return taken
    }),
    exclusive: true
  } satisfies Introspection.Introspection
})

/** The simulated service inside this process, on a free port, for as long as the scope lives. */
export const start = Effect.fnUntraced(function* (seed: number) {
  const controlKey = yield* IdempotencyKey.random
  const parts = yield* Layer.build(
    SimulatedService.layer({ seed, apiKeys: [apiKey], turnDuration: "20 millis", control: { key: controlKey } })
  )
  const server = Context.get(parts, Server)
  const control = yield* ControlClient.make({
    address: Context.get(parts, ControlServer).address ?? "",
    key: controlKey
  }).pipe(Effect.provideContext(yield* Layer.build(NodeHttpClient.layerUndici)))
  return {
    simulated: true,
    apiKey: Redacted.make(apiKey),
    control,
    introspection: yield* introspection(Context.get(parts, Journal), control),
    info: {
      name: "simulated service",
      address: server.address,
      baseUrls: server.baseUrls,
      apiKeyHeader,
      capabilities: Capabilities.of({
        ours: true,
        extended: true,
        simulated: true,
        allowPaid: false,
        v2SessionId: undefined,
        controlled: true
      })
    }
  } satisfies Connection
})
