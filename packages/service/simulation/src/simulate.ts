/// <reference lib="esnext.disposable" preserve="true" />
import type { ApiVersion } from "@webagent/contract/Wire"
import {
  allowing,
  type FaultPlan,
  type JournalView,
  type Oracle,
  PlainTimes,
  type PresetName,
  type Profile,
  type TimeView,
  type Verdicts
} from "@webagent/control"
import { type ListenError, type PortInUseError, Server } from "@webagent/server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Scheduler from "effect/Scheduler"
import { Control } from "./control/Control.ts"
import type { JournalQuery } from "./journal/Journal.ts"
import type { SimulatedOptions, SimulationParts } from "./Parts.ts"
import type { Simulation } from "./requests/Simulation.ts"
import { check } from "./SimulateOptions.ts"
import * as SimulatedService from "./SimulatedService.ts"
import { SimulatedState } from "./state/SimulatedState.ts"
import { ServiceClock } from "./time/ServiceClock.ts"

/** A run that the service was asked for: a task in v2's words. */
export interface SimulatedRun {
  readonly id: string
  readonly sessionId: string
  readonly task: string
  /** `queued`, `dispatching`, `running`, `completed`, `failed` or `cancelled`. */
  readonly status: string
  /** The agent's result; null before the end. */
  readonly result: unknown
  readonly error: string | null
}

/** Options of `simulate`. Times may be text, such as `"2 seconds"`, or milliseconds; nothing needs Effect. */
export interface SimulateOptions extends Omit<SimulatedOptions, "faults" | "profile"> {
  /** Initial faults; by default, the profile's. */
  readonly faults?: PlainTimes.Plain<FaultPlan>
  /** The name of a preset or a profile; `instant` by default. */
  readonly profile?: PresetName | PlainTimes.Plain<Profile>
  /**
   * With true, the service has no socket, and only `advance` moves its time and that of clients that are made with
   * `client`. So a client's own limits, such as the 30 minutes of a wait, pass in milliseconds. It excludes `time`.
   */
  readonly virtualTime?: boolean
}

/** Options of `verdict` and `assertClean`. */
export interface VerdictOptions {
  /** Oracles whose findings a test means to cause. */
  readonly allow?: ReadonlyArray<Oracle>
}

/** A simulated service that runs in this process, on a free port of this machine. */
export interface RunningService {
  /** The address, such as `http://127.0.0.1:41873`: the `baseUrl` for the clients. */
  readonly address: string
  /** The address of each API version, for plain `fetch`. */
  readonly baseUrls: Readonly<Record<ApiVersion, string>>
  readonly apiKey: string
  /** Options for `new WebAgent(...)`: address, key, and polls every 5 ms, because a simulated run takes 5 ms. */
  readonly client: {
    readonly baseUrl: string
    readonly apiKey: string
    readonly polling?: { readonly first: "5 millis"; readonly every: "5 millis" }
    /** In virtual time: sends requests without a socket. */
    readonly httpClient?: { readonly layer: unknown }
  }
  /** Environment variables for an app that runs in a process of its own. */
  readonly env: { readonly WEBAGENT_BASE_URL: string; readonly WEBAGENT_API_KEY: string }
  /**
   * The runs of all versions, oldest first.
   *
   * @returns The runs with their tasks, statuses and results.
   * @example
   * ```ts
   * import { simulate } from "@webagent/simulation"
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * export const tasks = async () => {
   *   await using service = await simulate()
   *   await using agent = new WebAgent(service.client)
   *   await agent.runs.createAndWait({ task: "Find a red mug" })
   *   return (await service.runs()).map(({ task }) => task) // ["Find a red mug"]
   * }
   * ```
   */
  readonly runs: () => Promise<ReadonlyArray<SimulatedRun>>
  /**
   * Returns what happened: each request with its response and its fault, and each change of a run or browser.
   *
   * @param query - `after` is the position to continue from. `limit` is the number of rows, 1,000 by default. `type`,
   *   `operation` and `resource` choose rows.
   * @returns The rows, oldest first, and the position of the next ones.
   * @example
   * ```ts
   * import type { RunningService } from "@webagent/simulation"
   *
   * export const polls = async (service: RunningService) =>
   *   (await service.journal({ type: "request", operation: "v4.getRunStatus" })).entries.length
   * ```
   */
  readonly journal: (query?: JournalQuery) => Promise<JournalView>
  /**
   * Returns the problems that the service found in how it was used, without those of the oracles in `allow`.
   *
   * @param options - `allow` lists oracles whose findings the test means to cause.
   * @returns The verdict of each oracle, and `holds`, which is true if no oracle found a problem.
   * @example
   * ```ts
   * import type { RunningService } from "@webagent/simulation"
   *
   * export const print = async (service: RunningService) => {
   *   for (const { holds, sentence } of (await service.verdict()).verdicts) if (!holds) console.log(sentence)
   * }
   * ```
   */
  readonly verdict: (options?: VerdictOptions) => Promise<Verdicts>
  /**
   * Rejects with a line for each problem with how the app used the service: created twice, lost, left open or running,
   * or polled too fast.
   *
   * @param options - `allow` lists oracles whose findings the test means to cause.
   * @returns A promise that resolves if there is no problem.
   * @throws `Error` with a line for each problem.
   * @example
   * ```ts
   * import { simulate } from "@webagent/simulation"
   *
   * export const program = async () => {
   *   await using service = await simulate()
   *   // the app starts a run here, and leaves it running on purpose
   *   await service.assertClean({ allow: ["runs-left-running"] })
   * }
   * ```
   */
  readonly assertClean: (options?: VerdictOptions) => Promise<void>
  /**
   * Moves service time, which must be manual: start the service with `time: { mode: "manual" }` or `virtualTime`.
   *
   * @param by - The time to add: text such as `"30 minutes"`, or milliseconds.
   * @returns The service time, once everything due until then has happened.
   * @throws `ControlConflictError` if time is not manual.
   * @example
   * ```ts
   * import { simulate } from "@webagent/simulation"
   *
   * export const tomorrow = async () => {
   *   await using service = await simulate({ time: { mode: "manual" } })
   *   return service.advance("24 hours")
   * }
   * ```
   */
  readonly advance: (by: PlainTimes.Plain<Duration.Duration>) => Promise<TimeView>
  /**
   * Replaces the faults.
   *
   * @param plan - The faults. An empty plan removes all of them.
   * @returns A promise that resolves once they are active.
   * @throws `Error` with one line per problem if the plan is invalid.
   * @example
   * ```ts
   * import type { RunningService } from "@webagent/simulation"
   *
   * export const loseTheCreate = (service: RunningService) =>
   *   service.setFaults([
   *     { fault: { kind: "reset", placement: "after-apply" }, when: { operations: ["v4.createRun"], attempts: [1] } }
   *   ])
   * ```
   */
  readonly setFaults: (plan: PlainTimes.Plain<FaultPlan>) => Promise<void>
  /**
   * Replaces the profile for runs, browsers and requests that begin from now on.
   *
   * @param profile - The name of a preset, or a profile.
   * @returns A promise that resolves once it's active.
   * @throws `Error` with one line per problem if the profile is invalid.
   * @example
   * ```ts
   * import type { RunningService } from "@webagent/simulation"
   *
   * export const makeItHard = (service: RunningService) => service.setProfile("hostile")
   * ```
   */
  readonly setProfile: (profile: string | PlainTimes.Plain<Profile>) => Promise<void>
  /**
   * Puts the service into the state after its start, so that it repeats the same ids and faults.
   *
   * @param options - `seed` sets another seed.
   * @returns A promise that resolves once the state is empty.
   * @example
   * ```ts
   * import type { RunningService } from "@webagent/simulation"
   *
   * export const beforeEach = (service: RunningService) => service.reset()
   * ```
   */
  readonly reset: (options?: { readonly seed?: number }) => Promise<void>
  /**
   * Stops the service and closes its connections.
   *
   * @returns A promise that resolves once it's stopped.
   * @example
   * ```ts
   * import { simulate } from "@webagent/simulation"
   *
   * export const withService = async (test: (baseUrl: string) => Promise<void>) => {
   *   const service = await simulate()
   *   await test(service.address).finally(() => service.close())
   * }
   * ```
   */
  readonly close: () => Promise<void>
  /**
   * Stops the service at the end of an `await using` block.
   *
   * @returns A promise that resolves once it's stopped.
   * @example
   * ```ts
   * import { simulate } from "@webagent/simulation"
   *
   * export const check = async () => {
   *   await using service = await simulate()
   *   return (await service.verdict()).holds
   * }
   * ```
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Returns what sends the requests of a client to a service without a socket, in the time of the service. */
const httpClientOf = (context: Context.Context<ServiceClock>) => {
  const { clock, scheduler } = Context.get(context, ServiceClock)
  const client = Context.getUnsafe(context, HttpClient.HttpClient)
  return {
    layer: Layer.succeedContext(
      Context.make(HttpClient.HttpClient, client).pipe(
        Context.add(Clock.Clock, clock),
        Context.add(Scheduler.Scheduler, scheduler)
      )
    )
  }
}

/**
 * Starts a simulated service in this process, for tests that use promises.
 *
 * With the default profile, `instant`, every run succeeds after 5 milliseconds. Close the service at the end of the
 * test with `close()` or `await using`.
 *
 * @param options - The profile, faults, seed, port and API keys. With the same seed, the service repeats the same ids
 *   and the same failures.
 * @returns The running service: its address, options for `new WebAgent(...)`, and methods that inspect and control it.
 * @throws `Error` with one line per problem if an option is misspelled or invalid, or if the port is in use.
 * @example
 * ```ts
 * import { simulate } from "@webagent/simulation"
 *
 * export const program = async () => {
 *   await using service = await simulate({ seed: 7 })
 *   const response = await fetch(`${service.baseUrls.v4}/runs`, {
 *     method: "POST",
 *     headers: { "Content-Type": "application/json", "X-Service-API-Key": service.apiKey },
 *     body: JSON.stringify({ task: "Find a red mug [simulate output=found]" })
 *   })
 *   const runs = await service.runs()
 *   return [response.status, runs[0]?.task]
 * }
 * ```
 */
export const simulate = async (options: SimulateOptions = {}): Promise<RunningService> => {
  const { virtualTime, ...service } = Object(options) as SimulateOptions
  check("simulate()", options)
  if (virtualTime && service.time !== undefined) {
    throw new TypeError(
      "simulate(): virtualTime and time exclude each other: with virtualTime, only advance moves time."
    )
  }
  const { faults, profile = "instant", ...others } = service
  const simulated: SimulatedOptions = {
    ...others,
    profile: PlainTimes.profileOf(profile) as PresetName | Profile,
    ...(faults === undefined ? {} : { faults: PlainTimes.faultsOf(faults) })
  }
  const served: Layer.Layer<Server | Simulation | SimulationParts, ListenError | PortInUseError> = virtualTime
    ? SimulatedService.layerHttpClient({ ...simulated, time: { mode: "manual" } })
    : SimulatedService.layer(simulated)
  const runtime = ManagedRuntime.make(served)
  const { address, apiKeys, baseUrls } = await runtime.runPromise(Server)
  const apiKey = apiKeys[0] ?? ""
  const control = <A, E>(use: (control: Control["Service"]) => Effect.Effect<A, E>) =>
    runtime.runPromise(Control.use(use))
  const verdictsFor = async (call: "verdict()" | "assertClean()", options: VerdictOptions) => {
    check(call, options)
    return allowing(options.allow ?? [])(await control(({ verdicts }) => verdicts))
  }
  const close = () => runtime.dispose()
  return {
    address,
    baseUrls,
    apiKey,
    client: {
      baseUrl: address,
      apiKey,
      ...(virtualTime
        ? { httpClient: httpClientOf(await runtime.context()) }
        : { polling: { first: "5 millis", every: "5 millis" } })
    },
    env: { WEBAGENT_BASE_URL: address, WEBAGENT_API_KEY: apiKey },
    runs: async () => {
      const { turns } = await runtime.runPromise(SimulatedState.use(({ snapshot }) => snapshot))
      return turns.map(({ error, id, output, sessionId, status, task }) => ({
        id,
        sessionId,
        task,
        status,
        result: output,
        error
      }))
    },
    journal: (query) => control(({ journal }) => journal(query)),
    verdict: (options = {}) => verdictsFor("verdict()", options),
    assertClean: async (options = {}) => {
      const wrong = (await verdictsFor("assertClean()", options)).verdicts.filter(({ holds }) => !holds)
      if (wrong.length === 0) return
      throw new Error(wrong.map(({ oracle, sentence }) => `${oracle}: ${sentence}`).join("\n"))
    },
    advance: async (by) => {
      const span = PlainTimes.spanOf(by)
      // what a client has just begun gets to its request, or to its sleep
      const settled = virtualTime ? Effect.repeat(Effect.yieldNow, { times: 50 }) : Effect.void
      return control(({ advance }) => Effect.andThen(settled, advance(span)))
    },
    setFaults: async (plan) => void (await control(({ setFaults }) => setFaults(PlainTimes.faultsOf(plan)))),
    setProfile: async (profile) => void (await control(({ setProfile }) => setProfile(PlainTimes.profileOf(profile)))),
    reset: async (again = {}) => {
      check("reset()", again)
      await control(({ reset }) => reset(again))
    },
    close,
    [Symbol.asyncDispose]: close
  }
}
