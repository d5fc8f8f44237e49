import { apiKeyHeader } from "@webagent/contract/Wire"
import { ControlClient, type JournalEntry } from "@webagent/control"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { IdempotencyKey } from "@webagent/core"
import { Behaviour, Control, ControlServer, Journal, Server, SimulatedService, verdictsOf } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Capabilities from "./Capabilities.ts"
import { type Connection } from "./Target.ts"
import type { Introspection } from "./Introspection.ts"

const apiKey = "wak_embedded"

/** What the server inside this process says, without HTTP between: no row is ever missed. */
const introspection = Effect.fnUntraced(function* (parts: Context.Context<Behaviour | Control | Journal>) {
  const behaviour = Context.get(parts, Behaviour)
  const control = Context.get(parts, Control)
  let rows: Array<JournalEntry> = []
  yield* Context.get(parts, Journal).observe((row) => void rows.push(row))
  return {
    rows: Effect.sync(() => {
      const taken = rows
      rows = []
      return taken
    }),
    ahead_ms: 0,
    verdictsOf: (rows) => {
      const { pollInterval } = behaviour.profile()
      return verdictsOf(rows, {
        pollInterval_ms: pollInterval === undefined ? undefined : Duration.toMillis(pollInterval)
      })
    },
    verdicts: control.verdicts,
    open: control.open,
    end: (kind, id) =>
      (kind === "session" ? control.stopSession(id) : control.cancelRun(id)).pipe(
        Effect.as(true),
        Effect.orElseSucceed(() => false)
      ),
    exclusive: true
  } satisfies Introspection
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
    introspection: yield* introspection(parts),
    info: {
      name: "simulated service",
      address: server.address,
      baseUrls: server.baseUrls,
      apiKeyHeader,
      capabilities: Capabilities.of({
        ours: true,
        simulated: true,
        allowPaid: false,
        v2SessionId: undefined,
        controlled: true
      })
    }
  } satisfies Connection
})
