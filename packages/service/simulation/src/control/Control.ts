import {
  ControlConflictError,
  ControlInvalidError,
  ControlNotFoundError,
  endOfTime_ms,
  type FaultPlan,
  type JournalView,
  type OpenView,
  presetNames,
  presets,
  type Profile,
  SettingsFile,
  type Snapshot,
  type TimeMode,
  type TimeView,
  type Verdicts
} from "@webagent/control"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Engine } from "@webagent/engine"
import { SimulatedState } from "../state/SimulatedState.ts"
import { BrowserConnections } from "../browser/BehavingBrowserPool.ts"
import { Behavior } from "../behavior/Behavior.ts"
import { FaultDelivery } from "../faults/FaultDelivery.ts"
import { Faults } from "../faults/Faults.ts"
import { Journal, type JournalQuery } from "../journal/Journal.ts"
import { Oracles } from "../oracles/Oracles.ts"
import { ServiceClock } from "../time/ServiceClock.ts"
import { Simulation } from "../requests/Simulation.ts"

type Change = (id: string) => Effect.Effect<{ readonly id: string; readonly status: string }, ControlNotFoundError>

/**
 * Controls and reads a simulated service, in this process as through the control API. Every change is a row of the
 * journal.
 *
 * @example
 * ```ts
 * import { Control } from "@webagent/simulation"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const control = yield* Control
 *   yield* control.setTime({ mode: "manual" })
 *   yield* control.setProfile("realistic")
 *   yield* control.advance("30 minutes")
 *   return yield* control.verdicts
 * })
 * ```
 */
export class Control extends Context.Service<
  Control,
  {
    /** The profile in force. */
    readonly profile: Effect.Effect<Profile>
    /**
     * Behaves from now on as this profile, including its faults.
     *
     * @param profile - The name of a preset such as `flaky`, or a profile.
     * @returns The profile, with all fields of its preset.
     * @throws `ControlNotFoundError` if there is no preset with this name, and `ControlInvalidError` if the profile is
     *   invalid.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.setProfile("flaky"))
     * ```
     */
    readonly setProfile: (
      profile: string | Profile
    ) => Effect.Effect<Profile, ControlNotFoundError | ControlInvalidError>
    /** The faults in force. */
    readonly faults: Effect.Effect<FaultPlan>
    /**
     * Applies these faults from now on, instead of those of the profile.
     *
     * @param plan - The rules. An empty list stops all faults.
     * @returns The plan.
     * @throws `ControlInvalidError` if a rule is invalid.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.setFaults([{ name: "busy", fault: { kind: "status", status: 429 }, when: { nth: [1] } }]))
     * ```
     */
    readonly setFaults: (plan: FaultPlan) => Effect.Effect<FaultPlan, ControlInvalidError>
    /**
     * Cuts every connection to the service, and refuses new ones for a while.
     *
     * @param span - The length of the outage in service time, such as `"10 seconds"`.
     * @returns Nothing, as soon as the outage has started.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.refuseConnections("10 seconds"))
     * ```
     */
    readonly refuseConnections: (span: Duration.Input) => Effect.Effect<void>
    /**
     * Reads the journal: requests, faults, connections and changes of state.
     *
     * @param query - `after` is the position to continue from. `limit` is the number of rows, 1,000 by default. `type`,
     *   `operation` and `resource` choose rows.
     * @returns The rows, and the position of the next ones.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.journal({ type: "request" }))
     * ```
     */
    readonly journal: (query?: JournalQuery) => Effect.Effect<JournalView>
    /** The verdicts of the oracles about everything since the start, or since the last reset or restore. */
    readonly verdicts: Effect.Effect<Verdicts>
    /** Resources that are still open. */
    readonly open: Effect.Effect<OpenView>
    readonly time: Effect.Effect<TimeView>
    /**
     * Changes the pace of service time.
     *
     * @param time - Real, scaled by a factor, or manual.
     * @returns The mode and the current service time.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.setTime({ mode: "scaled", factor: 60 }))
     * ```
     */
    readonly setTime: (time: TimeMode) => Effect.Effect<TimeView>
    /**
     * Moves manual time forward.
     *
     * @param by - The time to add, such as `"30 minutes"`.
     * @returns The service time, once everything due until then has happened.
     * @throws `ControlConflictError` if time is not manual.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.advance("30 minutes"))
     * ```
     */
    readonly advance: (by: Duration.Input) => Effect.Effect<TimeView, ControlConflictError>
    /**
     * Puts the service into the state after its start. Profile, faults and time stay as they are, and an outage stops.
     *
     * @param options - `seed` sets another seed.
     * @returns Nothing, once the state is empty.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.reset({ seed: 7 }))
     * ```
     */
    readonly reset: (options?: { readonly seed?: number | undefined }) => Effect.Effect<void>
    readonly snapshot: Effect.Effect<Snapshot>
    /**
     * Restores state, profile, seed and time. An outage stops, the journal continues, and the oracles start again.
     *
     * @param snapshot - A snapshot of this version.
     * @returns Nothing, once the state is restored.
     * @throws `ControlInvalidError` if the snapshot is invalid.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const program = Control.use((control) => Effect.flatMap(control.snapshot, control.restore))
     * ```
     */
    readonly restore: (snapshot: Snapshot) => Effect.Effect<void, ControlInvalidError>
    readonly cancelRun: Change
    readonly stopSession: Change
    readonly shareSession: Change
    /**
     * Cuts every CDP connection of a browser, which keeps running.
     *
     * @param id - The id of the browser.
     * @returns The id.
     * @throws `ControlNotFoundError` if there is no such browser.
     * @example
     * ```ts
     * import { Control } from "@webagent/simulation"
     *
     * export const program = Control.use((control) => control.dropConnections("5f2e"))
     * ```
     */
    readonly dropConnections: (id: string) => Effect.Effect<{ readonly id: string }, ControlNotFoundError>
  }
>()("@webagent/simulation/Control") {
  /** Over the parts of one simulated service. */
  static get layer(): Layer.Layer<
    Control,
    never,
    | Behavior
    | BrowserConnections
    | Engine
    | FaultDelivery
    | Faults
    | Journal
    | Oracles
    | ServiceClock
    | Simulation
    | SimulatedState
  > {
    return Layer.effect(Control, make)
  }
}

const described = (time: TimeMode): string => (time.mode === "scaled" ? `scaled by ${time.factor}` : time.mode)

const isPreset = (name: string): name is keyof typeof presets => Object.hasOwn(presets, name)

const missing = (what: string, id: string) => () => new ControlNotFoundError({ detail: `No ${what} with id ${id}.` })

/** Fails for a value that doesn't fit its schema, because callers in JavaScript have no type check. */
const fitting = <A>(checked: Result.Result<A, SettingsFile.SettingsError>): Effect.Effect<A, ControlInvalidError> =>
  Effect.mapError(Effect.fromResult(checked), ({ message }) => new ControlInvalidError({ detail: message }))

const make = Effect.gen(function* () {
  const behavior = yield* Behavior
  const clock = yield* ServiceClock
  const delivery = yield* FaultDelivery
  const connections = yield* BrowserConnections
  const engine = yield* Engine
  const faults = yield* Faults
  const journal = yield* Journal
  const oracles = yield* Oracles
  const simulation = yield* Simulation
  const state = yield* SimulatedState

  const act = (action: string, detail: string | null = null) => journal.record({ type: "control", action, detail })

  /** The faults in force may be others than those that the profile came with. */
  const profile = Effect.map(faults.plan, (plan): Profile => ({ ...behavior.profile(), faults: plan }))

  const setProfile = Effect.fnUntraced(function* (chosen: string | Profile) {
    if (typeof chosen === "string" && !isPreset(chosen)) {
      return yield* new ControlNotFoundError({
        detail: `Unknown preset "${chosen}". Use one of ${presetNames.join(", ")}.`
      })
    }
    const next: Profile =
      typeof chosen === "string" ? presets[chosen] : yield* fitting(SettingsFile.checkedProfile(chosen))
    yield* act("setProfile", next.name ?? null)
    yield* behavior.set(next)
    yield* faults.set(next.faults ?? [])
    return yield* profile
  })

  /** Makes a change to its end, then ends any outage. Only the wait for the port can be interrupted. */
  const andListen = <A, E>(change: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(Effect.uninterruptible(change), () => delivery.acceptConnections)

  const restore = Effect.fnUntraced(function* (snapshot: Snapshot) {
    const { now_ms } = yield* clock.view
    // turns go on from how long they have been at work
    yield* clock.setNow(snapshot.at_ms)
    yield* state.restore(snapshot.state).pipe(
      Effect.tapError(() => clock.setNow(now_ms)),
      Effect.mapError(({ message }) => new ControlInvalidError({ detail: message }))
    )
    yield* behavior.set(snapshot.profile)
    yield* behavior.reseed(snapshot.seed)
    yield* simulation.reset
    yield* faults.set(snapshot.profile.faults ?? [])
    yield* faults.reset(snapshot.seed)
    yield* oracles.reset
    yield* act("restoreSnapshot", `as of ${snapshot.at_ms}`)
  }, andListen)

  /** An operation of the engine that no version of the API has. */
  const changing = (
    action: string,
    what: string,
    change: (id: string) => Effect.Effect<{ readonly id: string; readonly status: string }, unknown>
  ) =>
    Effect.fnUntraced(function* (id: string) {
      yield* act(action, id)
      const { id: known, status } = yield* Effect.mapError(change(id), missing(what, id))
      return { id: known, status }
    })

  return Control.of({
    profile,
    setProfile,
    faults: faults.plan,
    setFaults: Effect.fnUntraced(function* (rules) {
      const plan = yield* fitting(SettingsFile.checkedFaultPlan(rules))
      yield* act("setFaults", plan.length === 1 ? "1 rule" : `${plan.length} rules`)
      yield* faults.set(plan)
      return plan
    }),
    refuseConnections: Effect.fnUntraced(function* (span) {
      const duration = Duration.fromInputUnsafe(span)
      yield* act("refuseConnections", Duration.format(duration))
      yield* delivery.refuseConnections(duration)
    }),
    journal: journal.read,
    verdicts: oracles.verdicts,
    open: state.open,
    time: clock.view,
    setTime: Effect.fnUntraced(function* (time) {
      yield* clock.go(time)
      yield* act("setTime", described(time))
      return yield* clock.view
    }),
    advance: Effect.fnUntraced(function* (by) {
      const duration = Duration.fromInputUnsafe(by)
      const { now_ms } = yield* clock.view
      if (now_ms + Duration.toMillis(duration) > endOfTime_ms) {
        return yield* new ControlConflictError({
          detail: "Service time cannot pass the year 8999. Advance it by less."
        })
      }
      yield* act("advanceTime", Duration.format(duration))
      yield* Effect.mapError(clock.advance(duration), ({ message }) => new ControlConflictError({ detail: message }))
      return yield* clock.view
    }),
    reset: Effect.fnUntraced(function* ({ seed } = {}) {
      yield* act("reset")
      if (seed !== undefined) yield* behavior.reseed(seed)
      yield* state.reset
      yield* simulation.reset
      yield* faults.reset(seed)
      yield* oracles.reset
      // last: what the end of the old state wrote is part of it
      yield* journal.clear
    }, andListen),
    snapshot: Effect.gen(function* () {
      const { now_ms } = yield* clock.view
      const taken: Schema.Json = JSON.parse(JSON.stringify(yield* state.snapshot))
      return { version: 1, at_ms: now_ms, seed: behavior.seed(), profile: yield* profile, state: taken }
    }),
    restore,
    cancelRun: changing("cancelRun", "run", (id) => engine.cancelTurn(id)),
    stopSession: changing("stopSession", "session", engine.stopSession),
    shareSession: changing("shareSession", "session", engine.shareSession),
    dropConnections: Effect.fnUntraced(function* (id) {
      yield* act("dropConnections", id)
      if (!(yield* connections.drop(id))) return yield* missing("active browser", id)()
      return { id }
    })
  })
})
