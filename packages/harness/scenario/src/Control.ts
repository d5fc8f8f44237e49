import {
  type ControlClient,
  type Fault,
  type FaultPlan,
  type JournalEntry,
  type Operation,
  PlainTimes
} from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

/** The target has no control API, or it has refused. The message says which. */
export class ControlError extends Schema.TaggedError<ControlError>()("ControlError", {
  message: Schema.String
}) {}

/** A fault for requests about one thing. */
export interface Injection {
  /** Its times may be text, such as `"2 seconds"`, or milliseconds. */
  readonly fault: PlainTimes.Plain<Fault>
  /** The id of a run, a session or a browser: whatever else runs at the same time is left alone. */
  readonly resource: string
  /** Only these operations, such as `v4.getRunStatus`; all unless told. */
  readonly operations?: readonly [Operation, ...ReadonlyArray<Operation>]
  /** Only the n-th requests of one operation, or of one create, from 1; all unless told. */
  readonly attempts?: readonly [number, ...ReadonlyArray<number>]
}

/**
 * Controls a simulated server from inside a scenario. Everything except `api` is about one resource by its id, so that
 * concurrent scenarios don't disturb each other.
 */
export interface Control {
  /**
   * Cancels a run or a v2 task at the service, as an operator would.
   *
   * @param id - The id of the run or task.
   * @returns An effect that succeeds once it's canceled.
   * @throws `ControlError` if there is no such run, or the target has no control API.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("reports a run that an operator cancels", { needs: ["control-api"] }, function* ({ control, v4 }) {
   *     const { id } = yield* v4.runs.create({ task: "Find a red mug" })
   *     yield* control.cancelRun(id)
   *     const { status } = yield* v4.runs.untilTerminal(id)
   *     yield* check.equal(status, "cancelled")
   *   })
   * ])
   * ```
   */
  readonly cancelRun: (id: string) => Effect.Effect<void, ControlError>
  /**
   * Cancels the work of a session, and stops it.
   *
   * @param id - The id of the session.
   * @returns An effect that succeeds once the session is stopped.
   * @throws `ControlError` if there is no such session, or the target has no control API.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("refuses a message to a stopped session", { needs: ["control-api"] }, function* ({ control, v4 }) {
   *     const { sessionId } = yield* v4.runs.createAndWait({ task: "Find a red mug" })
   *     yield* control.stopSession(sessionId ?? "")
   *     yield* check.fails(v4.sessions.queue(sessionId ?? "", { text: "And a blue one" }), "ConflictError")
   *   })
   * ])
   * ```
   */
  readonly stopSession: (id: string) => Effect.Effect<void, ControlError>
  /**
   * Cuts every CDP connection of a browser. The browser keeps running.
   *
   * @param id - The id of the browser.
   * @returns An effect that succeeds once the connections are cut.
   * @throws `ControlError` if there is no such browser, or the target has no control API.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("sees a lost connection", { needs: ["control-api"] }, function* ({ cdp, control, v4 }) {
   *     const { cdpUrl, id } = yield* v4.browsers.acquire()
   *     const { closed } = yield* cdp(cdpUrl)
   *     yield* control.dropConnections(id)
   *     yield* closed
   *   })
   * ])
   * ```
   */
  readonly dropConnections: (id: string) => Effect.Effect<void, ControlError>
  /**
   * Injects a fault into requests about one resource until the scenario ends.
   *
   * @param injection - The fault, the id of the resource, and the operations and attempts that it hits.
   * @returns An effect that succeeds once the fault is active.
   * @throws `ControlError` if the fault is invalid, or the target has no control API.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("survives a lost status", { needs: ["control-api"] }, function* ({ control, v4 }) {
   *     const { id } = yield* v4.runs.create({ task: "Find a red mug" })
   *     yield* control.inject({ fault: { kind: "reset" }, resource: id, attempts: [1] })
   *     const { status } = yield* v4.runs.untilTerminal(id)
   *     yield* check.equal(status, "completed")
   *   })
   * ])
   * ```
   */
  readonly inject: (injection: Injection) => Effect.Effect<void, ControlError, Scope.Scope>
  /**
   * Reads the journal's rows about one resource.
   *
   * @param id - The id of a run, session or browser.
   * @returns The rows, oldest first.
   * @throws `ControlError` if the target has no control API.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("polls a short run only a few times", { needs: ["control-api"] }, function* ({ control, v4 }) {
   *     const { id } = yield* v4.runs.createAndWait({ task: "Find a red mug" })
   *     const rows = yield* control.journal(id)
   *     yield* check.that("few polls", rows.filter(({ type }) => type === "request").length < 10)
   *   })
   * ])
   * ```
   */
  readonly journal: (id: string) => Effect.Effect<ReadonlyArray<JournalEntry>, ControlError>
  /** The whole control API. Time, profile and faults are those of everyone who uses the server: run such scenarios alone. */
  readonly api: Effect.Effect<ControlClient.ControlClient, ControlError>
}

const refused = (error: { readonly message: string }) => new ControlError({ message: error.message })

const refusedPlan = (error: unknown) => new ControlError({ message: `The fault is not valid: ${String(error)}` })

const tell = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.mapError(Effect.asVoid(effect), refused)

/**
 * Makes the control of a scenario over the control API of a server.
 *
 * @param api - The control API of a server, as `ControlClient.make` returns it.
 * @returns The control that scenarios get.
 * @example
 * ```ts
 * import { ControlClient } from "@webagent/control"
 * import { Control } from "@webagent/scenario"
 * import * as Effect from "effect/Effect"
 *
 * export const control = (api: ControlClient.ControlClient) =>
 *   Effect.flatMap(Control.make(api), (control) => control.journal("5f2e"))
 * ```
 */
export const make = (api: ControlClient.ControlClient): Effect.Effect<Control> =>
  Effect.gen(function* () {
    const changing = yield* Semaphore.make(1)
    let injected = 0

    /** Others' faults stay as they are; who else changes them at the same moment may undo this. */
    const change = (name: string, rules: FaultPlan) =>
      Effect.gen(function* () {
        const others = (yield* api.behaviour.getFaults()).filter((other) => other.name !== name)
        yield* api.behaviour.setFaults({ payload: [...others, ...rules] })
      }).pipe(Effect.mapError(refused), changing.withPermit)

    return {
      cancelRun: (id) => tell(api.operations.cancelRun({ params: { run_id: id } })),
      stopSession: (id) => tell(api.operations.stopSession({ params: { session_id: id } })),
      dropConnections: (id) => tell(api.operations.dropConnections({ params: { browser_id: id } })),
      inject: Effect.fnUntraced(function* ({ fault, ...when }) {
        const name = `injected ${++injected} on ${when.resource}`
        const plan = yield* Effect.try({
          try: () => PlainTimes.faultsOf([{ name, fault, when }]),
          catch: refusedPlan
        })
        yield* Effect.acquireRelease(change(name, plan), () => Effect.ignore(change(name, [])))
      }),
      journal: (resource) =>
        Effect.map(Effect.mapError(api.record.getJournal({ query: { resource } }), refused), ({ entries }) => entries),
      api: Effect.succeed(api)
    }
  })

const missing = Effect.fail(
  new ControlError({ message: 'This target has no control API: let the scenario say needs: ["control-api"].' })
)

/** Of a target that has no control API: everything fails, and says what to do. */
export const none: Control = {
  cancelRun: () => missing,
  stopSession: () => missing,
  dropConnections: () => missing,
  inject: () => missing,
  journal: () => missing,
  api: missing
}
