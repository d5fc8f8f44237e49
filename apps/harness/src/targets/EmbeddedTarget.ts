import { apiKeyHeader } from "@webagent/contract/Wire"
import { ControlClient, type JournalEntry } from "@webagent/control"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { IdempotencyKey } from "@webagent/core"
import {
  Behavior,
  Control,
  ControlServer,
  Engine,
  Journal,
  Oracles,
  Server,
  SimulatedService,
  SimulatedState,
  verdictsOf
} from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:net"
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

/** The first port of a service that a person opens, as for `npm run console`: links and tabs survive a restart. */
const firstPort = 4400

const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server
      .once("error", () => resume(Effect.succeed(false)))
      .listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** Finds the first free port from 4400 on; 0, which is any free port, after 100 that are taken. */
const openPort = Effect.gen(function* () {
  for (let port = firstPort; port < firstPort + 100; port++) if (yield* isFree(port)) return port
  return 0
})

const settleOf = (parts: Context.Context<Behavior | Control | Engine | Oracles | SimulatedState>) =>
  Effect.fnUntraced(
    function* (seed: number) {
      const engine = yield* Engine
      const { browsers, sessions, turns } = yield* Effect.flatMap(SimulatedState, ({ open }) => open)
      // some end with their session, or by themselves
      yield* Effect.forEach(turns, ({ id }) => Effect.exit(engine.cancelTurn(id)), { discard: true })
      yield* Effect.forEach(sessions, ({ id }) => Effect.exit(engine.stopSession(id)), { discard: true })
      yield* Effect.forEach(browsers, ({ id }) => Effect.exit(engine.stopBrowser(id)), { discard: true })
      yield* Control.use((control) =>
        Effect.andThen(control.setTime({ mode: "real" }), control.setProfile("realistic"))
      )
      yield* Behavior.use((behavior) => behavior.reseed(seed))
      yield* Oracles.use((oracles) => oracles.reset)
    },
    Effect.orDie,
    Effect.provideContext(parts)
  )

/**
 * The simulated service inside this process for as long as the scope lives: on any free port, or on the one that people
 * open.
 */
export const start = Effect.fnUntraced(function* (seed: number, isForPeople = false) {
  const controlKey = yield* IdempotencyKey.random
  const port = isForPeople ? yield* openPort : 0
  const parts = yield* Layer.build(
    SimulatedService.layer({ port, seed, apiKeys: [apiKey], turnDuration: "20 millis", control: { key: controlKey } })
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
    settle: settleOf(parts),
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
