import {
  type Agent,
  AuditLog,
  type Browser,
  type BrowserPool,
  Decide,
  Engine,
  Profiles,
  type Records,
  RunNotes,
  type Store,
  Schedules,
  Turn,
  Webhooks,
  Workspaces
} from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Behavior } from "../behavior/Behavior.ts"
import * as EngineSlot from "./EngineSlot.ts"
import * as SimulatedFiles from "./SimulatedFiles.ts"
import * as Snapshot from "./Snapshot.ts"

/** All state of a simulated service: read, brought back or dropped while it runs. */
export class SimulatedState extends Context.Service<
  SimulatedState,
  {
    /** Returns the open resources. */
    readonly open: Effect.Effect<Open>
    /** Everything that there is, as plain JSON. */
    readonly snapshot: Effect.Effect<Snapshot.Snapshot>
    /**
     * Restores a snapshot. Unfinished turns continue. Connections to browsers aren't restored.
     *
     * @param snapshot - The value of `snapshot`, even after it was written as JSON.
     * @returns An effect that succeeds once the state is restored.
     * @throws `InvalidSnapshot` if the value isn't a snapshot.
     * @example
     * ```ts
     * import { SimulatedState } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const undo = <A, E, R>(test: Effect.Effect<A, E, R>) =>
     *   Effect.gen(function* () {
     *     const state = yield* SimulatedState
     *     const before = yield* state.snapshot
     *     return yield* Effect.ensuring(test, Effect.orDie(state.restore(before)))
     *   })
     * ```
     */
    readonly restore: (snapshot: unknown) => Effect.Effect<void, Snapshot.InvalidSnapshot>
    /** Forgets everything: turns are interrupted, browsers stopped, ids counted from the start. */
    readonly reset: Effect.Effect<void>
    /**
     * Returns the store of the current engine.
     *
     * @returns The store. A restore or reset replaces it.
     * @example
     * ```ts
     * import { SimulatedState } from "@webagent/simulation"
     *
     * export const unfinished = SimulatedState.use((state) => state.store().unfinished(100))
     * ```
     */
    readonly store: () => Store["Service"]
  }
>()("@webagent/simulation/SimulatedState") {
  /**
   * Provides an engine over simulated ports, and its state. A restore or reset closes the engine, and starts another
   * one over a new store. Running requests finish at the closed engine.
   *
   * @param stores - Makes the store of some records.
   * @returns A layer with the engine and the state.
   * @example
   * ```ts
   * import { MemoryStore } from "@webagent/engine"
   * import { SimulatedState } from "@webagent/simulation"
   *
   * export const layer = SimulatedState.layer(MemoryStore.layerOf)
   * ```
   */
  static readonly layer = <R>(
    stores: EngineSlot.Stores<R>
  ): Layer.Layer<Engine | SimulatedState, never, Agent | Behavior | BrowserPool | R> =>
    Layer.effectContext(make(stores))
}

/** Open resources. Times are milliseconds since 1970 in service time. */
export interface Open {
  /** The turns that are not terminal. */
  readonly turns: ReadonlyArray<Pick<Turn.Turn, "id" | "sessionId" | "status" | "createdAt_ms" | "startedAt_ms">>
  /** The sessions that are not stopped; an idle one has no turn that is not terminal. */
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly createdAt_ms: number; readonly idle: boolean }>
  /** The browsers that are not stopped. */
  readonly browsers: ReadonlyArray<Pick<Browser.Browser, "id" | "startedAt_ms">>
}

/** Sessions with something to do, or with an agent that does not let go yet, and their turns that are not terminal. */
const unfinished = ({ sessions, turns }: Pick<Records, "sessions" | "turns">): ReadonlyArray<Decide.SessionState> => {
  const open = Map.groupBy(
    turns.filter(({ status }) => !Turn.isTerminal(status)),
    ({ sessionId }) => sessionId
  )
  return sessions.flatMap((session) => {
    const left = open.get(session.id) ?? []
    return left.length === 0 && session.lease === null ? [] : [{ session, turns: left }]
  })
}

const queueOf = ({ session, turns }: Decide.SessionState) => {
  const ids = Decide.inOrder(turns).map(({ id }) => id)
  const isAtWork = turns.some(({ status }) => status !== "queued")
  return { sessionId: session.id, running: isAtWork ? (ids[0] ?? null) : null, waiting: isAtWork ? ids.slice(1) : ids }
}

/** Returns the open resources of a store. */
const openOf = (records: Records): Open => {
  const busy = new Set(records.turns.flatMap(({ sessionId, status }) => (Turn.isTerminal(status) ? [] : [sessionId])))
  return {
    turns: records.turns
      .filter(({ status }) => !Turn.isTerminal(status))
      .map(({ createdAt_ms, id, sessionId, startedAt_ms, status }) => ({
        id,
        sessionId,
        status,
        createdAt_ms,
        startedAt_ms
      })),
    sessions: records.sessions
      .filter(({ status }) => status === "active")
      .map(({ createdAt_ms, id }) => ({ id, createdAt_ms, idle: !busy.has(id) })),
    browsers: records.browsers
      .filter(({ status }) => status === "active")
      .map(({ id, startedAt_ms }) => ({ id, startedAt_ms }))
  }
}

const nothing: Records = {
  sessions: [],
  turns: [],
  turnSteps: [],
  modelCalls: [],
  messages: [],
  browsers: [],
  idempotencyRecords: []
}

const make = Effect.fnUntraced(function* <R>(stores: EngineSlot.Stores<R>) {
  const files = yield* SimulatedFiles.make
  const slot = yield* EngineSlot.make(stores, nothing).pipe(
    Effect.provideService(Profiles, files.profiles),
    Effect.provideService(AuditLog, files.auditLog)
  )
  const records = Effect.suspend(() => Effect.orDie(slot.current().store.records))

  const state = SimulatedState.of({
    open: Effect.map(records, openOf),
    snapshot: Effect.gen(function* () {
      const { browsers, idempotencyRecords, ...rest } = yield* records
      // a browser that is being launched is not there yet, nor is its key used
      const starting = new Set(browsers.flatMap(({ id, status }) => (status === "starting" ? [id] : [])))
      return {
        version: 1 as const,
        ...rest,
        queues: unfinished(rest)
          .filter(({ turns }) => turns.length > 0)
          .map(queueOf),
        browsers: browsers.filter(({ id }) => !starting.has(id)),
        idempotencyRecords: idempotencyRecords.flatMap(({ made, ...record }) =>
          // webhooks and schedules aren't part of a snapshot, so their keys aren't, either
          made._tag === "Schedule" ||
          made._tag === "Webhook" ||
          (made._tag === "Browser" && starting.has(made.browser.id))
            ? []
            : [{ ...record, made }]
        ),
        ...(yield* files.records),
        ids: { ...(yield* slot.current().ids.counts), ...(yield* files.counts) }
      }
    }),
    restore: Effect.fnUntraced(function* (value) {
      const { ids, profiles, queues: _, version: __, workspaces, ...records } = yield* Snapshot.parse(value)
      yield* slot.replace(records, ids)
      yield* files.replace({ profiles, workspaces }, ids)
    }, Effect.uninterruptible),
    reset: Effect.andThen(slot.replace(nothing, {}), files.replace({ profiles: [], workspaces: [] }, {})),
    store: () => slot.current().store
  })
  return Context.make(Engine, slot.engine).pipe(
    Context.add(SimulatedState, state),
    Context.add(Profiles, files.profiles),
    Context.add(Workspaces, files.workspaces),
    Context.add(Schedules, files.schedules),
    Context.add(Webhooks, files.webhooks),
    Context.add(AuditLog, files.auditLog),
    Context.add(RunNotes, files.runNotes)
  )
})
