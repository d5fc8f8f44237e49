/// <reference lib="esnext.disposable" preserve="true" />
import type { ApiVersion } from "@webagent/contract/Wire"
import {
  allowing,
  type FaultPlan,
  type JournalView,
  type Oracle,
  type PresetName,
  type Profile,
  type TimeView,
  type Verdicts
} from "@webagent/control"
import { Server } from "@webagent/server"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Control } from "./control/Control.ts"
import type { JournalQuery } from "./journal/Journal.ts"
import type { SimulatedOptions } from "./Parts.ts"
import { faultsOf, type Plain, profileOf } from "./PlainTimes.ts"
import { check } from "./SimulateOptions.ts"
import * as SimulatedService from "./SimulatedService.ts"
import { SimulatedState } from "./state/SimulatedState.ts"

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
  readonly faults?: Plain<FaultPlan>
  /** The name of a preset or a profile; `instant` by default. */
  readonly profile?: PresetName | Plain<Profile>
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
    readonly polling: { readonly first: "5 millis"; readonly every: "5 millis" }
  }
  /** Environment variables for an app that runs in a process of its own. */
  readonly env: { readonly WEBAGENT_BASE_URL: string; readonly WEBAGENT_API_KEY: string }
  /** The runs of all versions, oldest first. */
  readonly runs: () => Promise<ReadonlyArray<SimulatedRun>>
  /** Returns what happened: each request with its response and its fault, and each change of a run or browser. */
  readonly journal: (query?: JournalQuery) => Promise<JournalView>
  /** Returns the problems that the service found in how it was used, without those of the oracles in `allow`. */
  readonly verdict: (options?: VerdictOptions) => Promise<Verdicts>
  /**
   * Rejects with a line for each thing that the app did wrong: doubled, lost, left open or running, polled too fast.
   *
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
  /** Moves service time, which must be manual (`time: { mode: "manual" }`); resolves when all that is due has happened. */
  readonly advance: (by: Duration.Input) => Promise<TimeView>
  /** Replaces the faults; `[]` ends all. */
  readonly setFaults: (plan: Plain<FaultPlan>) => Promise<void>
  readonly setProfile: (profile: string | Plain<Profile>) => Promise<void>
  /** Makes the service new: same seed (or another), same ids, same faults. */
  readonly reset: (options?: { readonly seed?: number }) => Promise<void>
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
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
  check("simulate()", options)
  const { faults, profile = "instant", ...others } = options
  const runtime = ManagedRuntime.make(
    SimulatedService.layer({
      ...others,
      profile: profileOf(profile) as PresetName | Profile,
      ...(faults === undefined ? {} : { faults: faultsOf(faults) })
    })
  )
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
    client: { baseUrl: address, apiKey, polling: { first: "5 millis", every: "5 millis" } },
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
    advance: (by) => control(({ advance }) => advance(by)),
    setFaults: async (plan) => void (await control(({ setFaults }) => setFaults(faultsOf(plan)))),
    setProfile: async (profile) => void (await control(({ setProfile }) => setProfile(profileOf(profile)))),
    reset: async (again = {}) => {
      check("reset()", again)
      await control(({ reset }) => reset(again))
    },
    close,
    [Symbol.asyncDispose]: close
  }
}
