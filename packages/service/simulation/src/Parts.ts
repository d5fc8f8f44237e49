import { isLoopback } from "@webagent/contract/Loopback"
import type { ApiKeyAuth as ApiKeyAuthService, RequestValidation as RequestValidationService } from "@webagent/contract"
import { type FaultPlan, SettingsFile, type TimeMode } from "@webagent/control"
import {
  type Agent,
  type ApiKeys,
  type BrowserPlaces,
  type BrowserPool,
  type Engine,
  MemoryStore
} from "@webagent/engine"
import {
  ApiKeyAuth,
  defaultHost,
  type ListenOptions,
  RequestValidation,
  SchedulePoll,
  WebhookSettings
} from "@webagent/server"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as SimulatedAgent from "./agent/SimulatedAgent.ts"
import { Behavior, type BehaviorOptions } from "./behavior/Behavior.ts"
import * as BehavingBrowserPool from "./browser/BehavingBrowserPool.ts"
import { Control } from "./control/Control.ts"
import type { ControlOptions } from "./control/ControlServer.ts"
import type { FaultDelivery } from "./faults/FaultDelivery.ts"
import { Faults } from "./faults/Faults.ts"
import * as Connections from "./requests/Connections.ts"
import { Journal, type JournalOptions } from "./journal/Journal.ts"
import { Oracles } from "./oracles/Oracles.ts"
import { Limits } from "./requests/Limits.ts"
import * as ObservedStore from "./requests/ObservedStore.ts"
import { Simulation } from "./requests/Simulation.ts"
import type { Stores } from "./state/EngineSlot.ts"
import * as StoredKeys from "./state/StoredKeys.ts"
import { SimulatedState } from "./state/SimulatedState.ts"
import { ServiceClock } from "./time/ServiceClock.ts"
import * as SkewedClock from "./time/SkewedClock.ts"

/** The default keys of a simulated server. */
export const defaultKeys: ReadonlyArray<string> = ["wak_test"]

/** Options of a simulated server. */
export interface SimulatedOptions extends ListenOptions, BehaviorOptions {
  /** Ids, outcomes, durations and costs all come from it, on loopback the tokens of links too; 1 unless given. */
  readonly seed?: number
  /** Size of the journal; the newest 20,000 rows by default. */
  readonly journal?: JournalOptions
  /** Initial faults; by default, the profile's. */
  readonly faults?: FaultPlan
  /** Pace of service time; real time by default. */
  readonly time?: TimeMode
  /** Serves the web console at `/console`, on this machine without a sign-in; it does unless this is false. */
  readonly console?: boolean
  /** Lets the service be driven and read through a control API on a port of its own; it is off unless given. */
  readonly control?: ControlOptions
}

/** Services that observe and control a running simulated service. */
export type SimulationParts = Behavior | Control | Faults | Journal | Oracles | ServiceClock | SimulatedState

/** The engine over simulated ports, and its state. */
const engineSimulated = <R>(
  stores: Stores<R>
): Layer.Layer<Engine | SimulatedState | BehavingBrowserPool.BrowserConnections, never, Behavior | R> =>
  SimulatedState.layer(stores).pipe(
    Layer.provide(Layer.fresh(SimulatedAgent.layer)),
    Layer.provideMerge(Layer.fresh(BehavingBrowserPool.layer))
  )

/** Returns the requested faults, or otherwise the profile's. */
const faults = ({ faults: plan }: SimulatedOptions): Layer.Layer<Faults, never, Behavior> =>
  Layer.unwrap(
    Effect.map(Behavior, (behavior) =>
      Faults.layer({
        seed: behavior.seed(),
        plan:
          plan === undefined
            ? (behavior.profile().faults ?? [])
            : Result.getOrThrow(SettingsFile.checkedFaultPlan(plan))
      })
    )
  )

/** Sends webhooks to this machine's programs if the service itself is for this machine only. */
const webhookSettings = ({ host = defaultHost }: SimulatedOptions) =>
  Layer.effect(
    WebhookSettings,
    Effect.map(ServiceClock, ({ outside }) => ({
      allowPrivate: isLoopback(host),
      poll: Duration.infinity,
      around: outside
    }))
  )

/** Options of the simulated agent and browsers. */
export interface PortsOptions extends Pick<SimulatedOptions, keyof BehaviorOptions> {
  /** Limits of the browsers; any number by default. With limits, each turn has the browser of its session, and waits for it. */
  readonly browsers?: BrowserPlaces.PlacesOptions
}

/**
 * The simulated agent and browsers, for an engine over a store of yours.
 *
 * @param options - The profile, the seed, and the limits of the browsers.
 * @returns A layer with an agent and a pool of browsers that are simulated.
 * @example
 * ```ts
 * import { SimulatedService } from "@webagent/simulation"
 *
 * export const layer = SimulatedService.layerPorts({ profile: "flaky", seed: 7 })
 * ```
 */
export const layerPorts = (options: PortsOptions = {}): Layer.Layer<Agent | BrowserPool> =>
  Layer.mergeAll(
    Layer.fresh(SimulatedAgent.layerOf({ usesBrowsers: options.browsers !== undefined })),
    Layer.fresh(BehavingBrowserPool.layerOf(options.browsers))
  ).pipe(Layer.provide(Behavior.layer(options)))

/**
 * The engine with simulated agent and browsers, its state in memory.
 *
 * @param options - The profile, faults and seed.
 * @returns A layer with the engine, which keeps its state in memory.
 * @example
 * ```ts
 * import { SimulatedService } from "@webagent/simulation"
 *
 * export const layer = SimulatedService.layerEngine({ seed: 7 })
 * ```
 */
export const layerEngine = (options: SimulatedOptions = {}): Layer.Layer<Engine | SimulatedState> =>
  Layer.provide(engineSimulated(MemoryStore.layerOf), Behavior.layer(options))

/**
 * All of the simulated service that is not about sockets, and what is around it: its journal, what it is told to
 * be, what hits it, and what drives it. All of it, and the app, has to wait in the time of its ServiceClock.
 */
export const layer = (
  options: SimulatedOptions = {}
): Layer.Layer<
  ApiKeys | Engine | ApiKeyAuthService | RequestValidationService | Simulation | Exclude<SimulationParts, ServiceClock>,
  never,
  FaultDelivery | ServiceClock
> =>
  Control.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(ApiKeyAuth.layerSimulated(options.apiKeys ?? defaultKeys), StoredKeys.layerBeforeWrites).pipe(
          Layer.provideMerge(Layer.fresh(StoredKeys.layer)),
          Layer.provideMerge(Layer.provideMerge(Oracles.layer, engineSimulated(ObservedStore.layerOf)))
        ),
        RequestValidation.layer,
        webhookSettings(options),
        Layer.succeed(SchedulePoll, Duration.infinity),
        Simulation.layer({ apiKeys: options.apiKeys ?? defaultKeys }),
        Connections.layer
      )
    ),
    Layer.provide(Layer.fresh(Limits.layer)),
    Layer.provideMerge(faults(options)),
    Layer.provideMerge([Behavior.layer(options), Journal.layer(options.journal)])
  )

/** Service time for all that waits, skewed for requests where a fault says so. */
export const layerClocks = (): Layer.Layer<never, never, ServiceClock> =>
  Layer.provideMerge(Layer.fresh(SkewedClock.layer), ServiceClock.layerClock)
