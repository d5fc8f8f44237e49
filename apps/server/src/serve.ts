import { isLoopback } from "@webagent/contract/Loopback"
import {
  ControlServer,
  LinkTokens,
  type ListenError,
  type PortInUseError,
  Server,
  SimulatedService,
  spanFromText
} from "@webagent/simulation"
import * as SimulationFlags from "@webagent/simulation/SimulationFlags"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { randomBytes } from "node:crypto"
import { UserError } from "./UserError.ts"

const flags = {
  port: Flag.Int("port").pipe(
    Flag.withDescription("Listen on a port; 0 is any free port (default: 8080)"),
    Flag.withDefault(8080),
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "a port from 0 to 65535"
    )
  ),
  host: Flag.String("host").pipe(
    Flag.withDescription("Listen on an address (default: 127.0.0.1, this machine only)"),
    Flag.withDefault("127.0.0.1")
  ),
  apiKeys: Flag.String("api-key").pipe(
    Flag.withDescription("Accept an API key; repeatable (default: WEBAGENT_SERVER_API_KEY, else new)"),
    Flag.filter(
      (key) => key.trim() !== "",
      () => "a key that is not empty"
    ),
    Flag.atLeast(0)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Derive ids, outcomes, durations and costs from a seed (default: 1)"),
    Flag.withDefault(1)
  ),
  turnDuration: Flag.String("turn-duration").pipe(
    Flag.withDescription("Set how long a turn takes, such as 200ms or 2s (default: about 150ms)"),
    Flag.filterMap(spanFromText, () => "a time such as 200ms, 2s or 1m"),
    Flag.optional
  ),
  ...SimulationFlags.flags
}

/** The keys to accept: as given, else from the environment, else a new one for use on this machine only. */
const resolveKeys = Effect.fnUntraced(function* (host: string, given: ReadonlyArray<string>) {
  const configured = yield* Config.option(Config.NonEmptyString("WEBAGENT_SERVER_API_KEY"))
  const explicit = given.length > 0 ? given : Option.toArray(configured)
  if (explicit.length > 0) return explicit
  if (!isLoopback(host)) {
    return yield* new UserError({
      sentence: `Other machines can reach ${host}. Set an API key with --api-key or WEBAGENT_SERVER_API_KEY.`
    })
  }
  return [`wak_${randomBytes(18).toString("base64url")}`]
})

const explain = (error: PortInUseError | ListenError, controlPort: Option.Option<number>) => {
  if (error._tag === "ListenError") return new UserError({ sentence: `${error.message}.` })
  const flag = Option.contains(controlPort, error.port) ? "--control-port" : "--port"
  return new UserError({
    sentence: `Port ${error.port} is in use. Choose another with ${flag}, or 0 for any free port.`
  })
}

/** Where it is, what it is like where that is not the usual, and the key, last: who waits for it has read all. */
const announce = (asked: SimulationFlags.Resolved) =>
  Effect.gen(function* () {
    const server = yield* Server
    const lines = [
      ...Object.entries(server.baseUrls),
      ["docs", `${server.address}/api/v4/docs`],
      ...asked.lines(yield* ControlServer),
      ["key", server.apiKeys[0]]
    ] as const
    const width = Math.max(...lines.map(([label]) => label.length)) + 2
    for (const [label, text] of lines) yield* Console.log(`${label.padEnd(width)}${text}`)
  })

/** Serves the simulated service until Ctrl-C. */
export const serve = Command.make(
  "webagent-server",
  flags,
  Effect.fnUntraced(function* ({ apiKeys: given, host, port, seed, turnDuration, ...simulation }) {
    const apiKeys = yield* resolveKeys(host, given)
    const asked = yield* Effect.mapError(
      SimulationFlags.resolve(simulation),
      ({ message }) => new UserError({ sentence: message })
    )
    const server = SimulatedService.layer({
      host,
      port,
      apiKeys,
      seed,
      linkTokens: LinkTokens.layerRandom,
      ...asked.options,
      ...Option.match(turnDuration, { onNone: () => ({}), onSome: (duration) => ({ turnDuration: duration }) })
    })
    const program = Layer.effectDiscard(announce(asked)).pipe(Layer.provide(server))
    return yield* Effect.mapError(Layer.launch(program), (error) => explain(error, simulation.controlPort))
  })
).pipe(
  Command.withDescription("Serve v2, v3 and v4 of the web-agent service, simulated: no browser, no model, no cost")
)
