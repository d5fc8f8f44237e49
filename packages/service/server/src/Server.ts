import type { ApiKeyAuth as ApiKeyAuthService, RequestValidation as RequestValidationService } from "@webagent/contract"
import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import { type FaultPlan, SettingsFile, type TimeMode } from "@webagent/control"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SimulatedAgent from "./agent/SimulatedAgent.ts"
import * as BehavingBrowserPool from "./browser/BehavingBrowserPool.ts"
import * as SimulatedBrowserPool from "./browser/SimulatedBrowserPool.ts"
import { LinkTokens } from "./api/LinkTokens.ts"
import { Engine } from "./engine/Engine.ts"
import { IdSource } from "./engine/IdSource.ts"
import * as ApiKeyAuth from "./http/ApiKeyAuth.ts"
import * as App from "./http/App.ts"
import * as Listener from "./http/Listener.ts"
import * as RequestValidation from "./http/RequestValidation.ts"
import { Behaviour, type BehaviourOptions } from "./simulation/Behaviour.ts"
import { Control } from "./simulation/control/Control.ts"
import { type ControlOptions, ControlServer } from "./simulation/control/ControlServer.ts"
import type { FaultDelivery } from "./simulation/FaultDelivery.ts"
import { Faults } from "./simulation/Faults.ts"
import { Journal, type JournalOptions } from "./simulation/Journal.ts"
import { Limits } from "./simulation/Limits.ts"
import * as ObservedStore from "./simulation/ObservedStore.ts"
import { Oracles } from "./simulation/Oracles.ts"
import { ServiceClock } from "./simulation/ServiceClock.ts"
import * as SkewedClock from "./simulation/SkewedClock.ts"
import { Simulation } from "./simulation/Simulation.ts"
import * as MemoryStore from "./store/MemoryStore.ts"
import type { Store } from "./store/Store.ts"

/** Where a server listens and which keys it takes. */
export interface ListenOptions {
  /** 0, the default, is any free port. */
  readonly port?: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** `["wak_test"]` unless given. */
  readonly apiKeys?: ReadonlyArray<string>
  /** What opens a `cdpUrl` and a `recordingUrl`; from the seed on loopback, random anywhere else, unless given. */
  readonly linkTokens?: Layer.Layer<LinkTokens>
}

/** How a simulated server behaves. */
export interface SimulatedOptions extends ListenOptions, BehaviourOptions {
  /** Ids, outcomes, durations and costs all come from it, on loopback the tokens of links too; 1 unless given. */
  readonly seed?: number
  /** How much the journal of what happened remembers: the newest 20,000 rows unless given. */
  readonly journal?: JournalOptions
  /** What strikes requests from the start; what the profile says unless given. */
  readonly faults?: FaultPlan
  /** How service time goes; as real time does unless given. */
  readonly time?: TimeMode
  /** Lets the service be driven and read through a control API on a port of its own; it is off unless given. */
  readonly control?: ControlOptions
}

/** What a simulated service can be watched by and told by while it runs. */
export type SimulationParts = Behaviour | Control | Faults | Journal | Oracles | ServiceClock

type PartsOptions = ListenOptions & { readonly simulated?: boolean; readonly seed?: number }

/** The engine over simulated ports. */
const engineSimulated = (): Layer.Layer<Engine, never, Behaviour | Store> =>
  Engine.layer.pipe(
    Layer.provide([
      Layer.fresh(SimulatedAgent.layerBehaving),
      Layer.fresh(Layer.provide(BehavingBrowserPool.layer, SimulatedBrowserPool.layer)),
      Layer.unwrap(Effect.map(Behaviour, ({ seed }) => IdSource.layerSeededBy(seed)))
    ])
  )

/** What strikes requests: as asked for, else as the profile says. */
const faults = ({ faults: plan }: SimulatedOptions): Layer.Layer<Faults, never, Behaviour> =>
  Layer.unwrap(
    Effect.map(Behaviour, (behaviour) =>
      Faults.layer({
        seed: behaviour.seed(),
        plan:
          plan === undefined
            ? (behaviour.profile().faults ?? [])
            : Result.getOrThrow(SettingsFile.checkedFaultPlan(plan))
      })
    )
  )

/** Before the server closes, which waits for every request: some wait for a browser to start, in service time. */
const wakeWhenClosing = Effect.gen(function* () {
  yield* Server
  const behaviour = yield* Behaviour
  yield* Effect.addFinalizer(() => behaviour.wake)
})

const controlServer = ({ apiKeys = defaultKeys }: SimulatedOptions, control: ControlOptions) =>
  ControlServer.layer({ ...control, apiKeys })

const defaultKeys = ["wak_test"]
const defaultHost = "127.0.0.1"

/** A seed can be known to anybody: its tokens are for this machine only. */
const defaultLinkTokens = ({ host = defaultHost, seed = 1 }: Pick<SimulatedOptions, "host" | "seed">) =>
  Listener.isLoopback(host) ? LinkTokens.layerSeeded(seed) : LinkTokens.layerRandom

const listen = ({ host = defaultHost, port = 0 }: ListenOptions) => Listener.layer({ host, port })

/**
 * A server that listens: v2, v3 and v4 of the service at one address.
 *
 * @example
 * const program = Effect.gen(function* () {
 *   const { apiKeys, baseUrls } = yield* Server
 *   return yield* Effect.promise(() =>
 *     fetch(`${baseUrls.v4}/runs`, {
 *       method: "POST",
 *       headers: { "content-type": "application/json", "x-service-api-key": apiKeys[0] ?? "" },
 *       body: JSON.stringify({ task: "Find a red mug [simulate output=found]" })
 *     })
 *   )
 * }).pipe(Effect.provide(Server.layerTest))
 */
export class Server extends Context.Service<
  Server,
  {
    /** Such as `http://127.0.0.1:41873`, without a slash at the end. */
    readonly address: string
    /** Such as `http://127.0.0.1:41873/api/v4`, one for each version. */
    readonly baseUrls: Readonly<Record<ApiVersion, string>>
    /** The keys that it takes. */
    readonly apiKeys: ReadonlyArray<string>
    /** Such as `http://127.0.0.1:41874/control/v1`; undefined while there is no control API. */
    readonly control: string | undefined
  }
>()("@webagent/server/Server") {
  /** HTTP over an engine, where something listens. */
  private static readonly layerServed = (options: PartsOptions) =>
    Layer.effect(
      Server,
      Effect.gen(function* () {
        const server = yield* HttpServer.HttpServer
        const control = yield* Effect.serviceOption(ControlServer)
        const address = HttpServer.formatAddress(server.address)
        const baseUrl = (version: ApiVersion) => `${address}${basePath[version]}`
        return {
          address,
          baseUrls: { v2: baseUrl("v2"), v3: baseUrl("v3"), v4: baseUrl("v4") },
          apiKeys: options.apiKeys ?? defaultKeys,
          control: Option.getOrUndefined(control)?.address
        }
      })
    ).pipe(
      Layer.provide(
        Layer.unwrap(
          Effect.gen(function* () {
            const control = Option.getOrUndefined(yield* Effect.serviceOption(ControlServer))
            // its address is of use, and known, on this machine only
            const known = control?.loopback === true && Listener.isLoopback(options.host ?? defaultHost)
            const app = yield* App.make({
              simulated: options.simulated ?? true,
              control: known ? control.address : undefined
            })
            return HttpServer.serve(app)
          })
        )
      ),
      Layer.provide(options.linkTokens ?? defaultLinkTokens(options))
    )

  /**
   * HTTP over the parts that a test may want to replace: the engine, the check of the key and the validation of
   * requests. `layerEngineSimulated`, `ApiKeyAuth.layer` and `RequestValidation.layer` are the usual ones.
   */
  static readonly layerParts = (
    options: PartsOptions = {}
  ): Layer.Layer<
    Server,
    Listener.PortInUseError | Listener.ListenError,
    Engine | ApiKeyAuthService | RequestValidationService
  > => Server.layerServed(options).pipe(Layer.provide(listen(options)))

  /** The engine with simulated agent and browsers, its state in memory. */
  static readonly layerEngineSimulated = (options: SimulatedOptions = {}): Layer.Layer<Engine> =>
    Layer.provide(engineSimulated(), [Behaviour.layer(options), Layer.fresh(MemoryStore.layer)])

  /**
   * All of the simulated service that is not about sockets, and what is around it: its journal, what it is told to
   * be, what strikes it, and what drives it. All of it, and the app, has to wait in the time of its ServiceClock.
   */
  static readonly layerSimulatedParts = (
    options: SimulatedOptions = {}
  ): Layer.Layer<
    Engine | ApiKeyAuthService | RequestValidationService | Simulation | Exclude<SimulationParts, ServiceClock>,
    never,
    FaultDelivery | ServiceClock
  > =>
    Control.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          engineSimulated(),
          Oracles.layer,
          ApiKeyAuth.layer(options.apiKeys ?? defaultKeys),
          RequestValidation.layer,
          Simulation.layer({ apiKeys: options.apiKeys ?? defaultKeys })
        )
      ),
      // all its own: two servers of one program share nothing
      Layer.provide(Layer.fresh(Layer.provide(ObservedStore.layer, MemoryStore.layer))),
      Layer.provide(Layer.fresh(Limits.layer)),
      Layer.provideMerge(faults(options)),
      Layer.provideMerge([Behaviour.layer(options), Journal.layer(options.journal)])
    )

  /** Service time for all that waits, off for those requests of which a fault says so. */
  static readonly layerClocks = (): Layer.Layer<never, never, ServiceClock> =>
    Layer.provideMerge(Layer.fresh(SkewedClock.layer), ServiceClock.layerClock)

  /** The whole simulated service on a real socket, and what is around it; dies of a profile or faults that are none. */
  static readonly layerSimulated = (
    options: SimulatedOptions = {}
  ): Layer.Layer<Server | Engine | Simulation | SimulationParts, Listener.PortInUseError | Listener.ListenError> =>
    Layer.effectDiscard(wakeWhenClosing).pipe(
      Layer.provideMerge(Server.layerServed(options)),
      Layer.provide(options.control === undefined ? Layer.empty : controlServer(options, options.control)),
      Layer.provideMerge(Server.layerSimulatedParts(options)),
      Layer.provide(listen(options)),
      Layer.provide(Server.layerClocks()),
      Layer.provideMerge(ServiceClock.layer(options.time))
    )

  /**
   * The simulated service for tests: any free port, key `wak_test`, turns of 5 ms. Provided twice it is one
   * server, as every layer is; `Layer.fresh` makes another.
   */
  static readonly layerTest: Layer.Layer<Server> = Layer.orDie(Server.layerSimulated({ turnDuration: "5 millis" }))
}
