import * as Program from "@webagent/cli/Program"
import { isLoopback } from "@webagent/contract/Loopback"
import type { Engine } from "@webagent/engine"
import {
  ConsoleExtension,
  ConsoleSettings,
  defaultHost,
  Installation,
  Listener,
  LinkTokens,
  Server
} from "@webagent/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behavior } from "./behavior/Behavior.ts"
import * as SeededLinkTokens from "./behavior/SeededLinkTokens.ts"
import * as ConsoleControl from "./control/ConsoleControl.ts"
import { ControlServer } from "./control/ControlServer.ts"
import * as NodeDelivery from "./faults/NodeDelivery.ts"
import * as Parts from "./Parts.ts"
import { Simulation } from "./requests/Simulation.ts"
import { ServiceClock } from "./time/ServiceClock.ts"

export { address, type InProcessOptions, layerHttpClient } from "./InProcess.ts"
export { layerEngine, layerPorts } from "./Parts.ts"

/** Before the server closes, which waits for every request: some wait for a browser to start, in service time. */
const wakeWhenClosing = Effect.gen(function* () {
  yield* Server
  const behavior = yield* Behavior
  yield* Effect.addFinalizer(() => behavior.wake)
})

/** Anyone can know a seed, so tokens of a seed are for this machine only. */
const defaultLinkTokens = ({ host = defaultHost, seed = 1 }: Parts.SimulatedOptions) =>
  isLoopback(host) ? SeededLinkTokens.layer(seed) : LinkTokens.layerRandom

const controlServer = ({ apiKeys = Parts.defaultKeys, control }: Parts.SimulatedOptions) =>
  control === undefined ? ControlServer.layerOff : ControlServer.layer({ ...control, apiKeys })

const served = (options: Parts.SimulatedOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { around } = yield* Simulation
      const control = yield* ControlServer
      // its address is of use, and known, on this machine only
      const isPrivate = control.loopback && isLoopback(options.host ?? defaultHost)
      return Server.layerServed({
        apiKeys: options.apiKeys ?? Parts.defaultKeys,
        linkTokens: options.linkTokens ?? defaultLinkTokens(options),
        about: { simulated: true, ...(isPrivate ? { control: control.address } : {}) },
        around
      })
    })
  )

/** The program with the commands that also work with a simulated service, such as `webhooks create`. */
const program = Program.here("webagent-server", import.meta.url)

/**
 * On this machine nothing of value is behind the console, so it needs no sign-in, and it also controls the simulation.
 * Elsewhere only the control key does.
 */
const consoleLayer = ({ console = true, host = defaultHost }: Parts.SimulatedOptions) => {
  if (!console || !isLoopback(host)) return Layer.succeed(ConsoleSettings, { access: console ? "key" : "off" })
  const facts = Installation.Installation.defaultValue()
  return Layer.mergeAll(
    Layer.succeed(ConsoleSettings, { access: "open" }),
    Layer.effect(ConsoleExtension, ConsoleControl.make),
    Layer.succeed(Installation.Installation, { ...facts, program, has: ["simulation"] })
  )
}

/**
 * Provides the whole simulated service on a real socket, and the services that control it.
 *
 * @param options - The profile, faults, seed, port and API keys.
 * @returns A layer with the running service. It closes with its scope.
 * @throws `PortInUseError` if the port is in use, and an error as a defect if the profile or the faults are invalid.
 * @example
 * ```ts
 * import { Server, SimulatedService } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const { apiKeys, baseUrls } = yield* Server
 *   return yield* Effect.promise(() =>
 *     fetch(`${baseUrls.v4}/runs`, {
 *       method: "POST",
 *       headers: { "content-type": "application/json", "x-service-api-key": apiKeys[0] ?? "" },
 *       body: JSON.stringify({ task: "Find a red mug [simulate output=found]" })
 *     })
 *   )
 * }).pipe(Effect.provide(SimulatedService.layer({ seed: 7 })))
 * ```
 */
export const layer = (
  options: Parts.SimulatedOptions = {}
): Layer.Layer<
  Server | ControlServer | Engine | Simulation | Parts.SimulationParts,
  Listener.PortInUseError | Listener.ListenError
> =>
  Layer.effectDiscard(wakeWhenClosing).pipe(
    Layer.provideMerge(served(options)),
    Layer.provide(consoleLayer(options)),
    Layer.provideMerge(controlServer(options)),
    Layer.provideMerge(Parts.layer(options)),
    Layer.provide(Layer.fresh(NodeDelivery.layer)),
    Layer.provide(
      Listener.layer({
        host: options.host ?? defaultHost,
        port: options.port ?? 0,
        allowedHosts: options.allowedHosts,
        publicUrl: options.publicUrl,
        trustProxy: options.trustProxy,
        apiKeyHeader: options.apiKeyHeader
      })
    ),
    Layer.provide(Parts.layerClocks()),
    Layer.provideMerge(ServiceClock.layer(options.time))
  )

/**
 * The simulated service for tests: any free port, key `wak_test`, turns of 5 ms. Provided twice it is one
 * server, as every layer is; `Layer.fresh` makes another.
 */
export const layerTest: Layer.Layer<Server> = Layer.orDie(layer({ turnDuration: "5 millis" }))
