import { type Browser, EngineState, Store, Turn } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { SeededIds } from "../behaviour/SeededIds.ts"
import * as Snapshot from "./Snapshot.ts"

/** All state of a simulated service: read, brought back or dropped while it runs. */
export class SimulatedState extends Context.Service<
  SimulatedState,
  {
    /** What is not over. */
    readonly open: Effect.Effect<Open>
    /** Everything that there is, as plain JSON. */
    readonly snapshot: Effect.Effect<Snapshot.Snapshot>
    /** Everything as it was: turns go on with what was left of them. Connections to browsers are not restored. */
    readonly restore: (snapshot: unknown) => Effect.Effect<void, Snapshot.InvalidSnapshot>
    /** Forgets everything: turns are interrupted, browsers stopped, ids counted from the start. */
    readonly reset: Effect.Effect<void>
  }
>()("@webagent/simulation/SimulatedState") {
  /** The state of the engine over this store. */
  static get layer(): Layer.Layer<SimulatedState, never, EngineState | SeededIds | Store> {
    return Layer.effect(SimulatedState, make)
  }
}

/** What is not over. Times are milliseconds since 1970 by service time. */
export interface Open {
  /** The turns that are not terminal. */
  readonly turns: ReadonlyArray<Pick<Turn.Turn, "id" | "sessionId" | "status" | "createdAt_ms" | "startedAt_ms">>
  /** The sessions that are not stopped; an idle one has no turn that is not terminal. */
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly createdAt_ms: number; readonly idle: boolean }>
  /** The browsers that are not stopped. */
  readonly browsers: ReadonlyArray<Pick<Browser.Browser, "id" | "startedAt_ms">>
}

/** What a store has that is not over. */
const open = (store: Store["Service"]): Effect.Effect<Open> =>
  Effect.gen(function* () {
    const turns = yield* Stream.runCollect(Stream.filter(store.turns, ({ status }) => !Turn.isTerminal(status)))
    const sessions = yield* Stream.runCollect(Stream.filter(store.sessions, ({ status }) => status === "active"))
    const browsers = yield* Stream.runCollect(Stream.filter(store.browsers, ({ status }) => status === "active"))
    const busy = new Set(turns.map(({ sessionId }) => sessionId))
    return {
      turns: turns.map(({ createdAt_ms, id, sessionId, startedAt_ms, status }) => ({
        id,
        sessionId,
        status,
        createdAt_ms,
        startedAt_ms
      })),
      sessions: sessions.map(({ createdAt_ms, id }) => ({ id, createdAt_ms, idle: !busy.has(id) })),
      browsers: browsers.map(({ id, startedAt_ms }) => ({ id, startedAt_ms }))
    }
  })

const make = Effect.gen(function* () {
  const engine = yield* EngineState
  const ids = yield* SeededIds
  const store = yield* Store

  const clear = Effect.andThen(store.clear, ids.restore({}))

  return SimulatedState.of({
    open: open(store),
    snapshot: engine.read((queues) =>
      Effect.gen(function* () {
        return {
          version: 1 as const,
          sessions: yield* Stream.runCollect(store.sessions),
          turns: yield* Stream.runCollect(store.turns),
          queues,
          browsers: yield* Stream.runCollect(store.browsers),
          idempotencyRecords: yield* Stream.runCollect(store.idempotencyRecords),
          ids: yield* ids.counts
        }
      })
    ),
    restore: Effect.fnUntraced(function* (value) {
      const { ids: counts, queues, version: _, ...records } = yield* Snapshot.parse(value)
      yield* engine.replace(
        Effect.gen(function* () {
          yield* clear
          yield* store.commit(records)
          yield* ids.restore(counts)
          return { browsers: records.browsers, queues }
        })
      )
    }, Effect.uninterruptible),
    reset: engine.replace(Effect.as(clear, { browsers: [], queues: [] }))
  })
})
