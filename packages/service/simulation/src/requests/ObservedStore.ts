import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  MemoryStore,
  type Records,
  type Session,
  type Step,
  Store,
  type StoreUnavailable,
  type Turn
} from "@webagent/engine"
import { CurrentRequest } from "./RequestContext.ts"
import { Faults } from "../faults/Faults.ts"
import { type Draft, Journal } from "../journal/Journal.ts"
import { Limits } from "./Limits.ts"
import * as RecordHistory from "./RecordHistory.ts"
import { RealClock } from "../time/RealClock.ts"

/** Minimum age of the data that a read returns, in milliseconds; 0 except in a stale read. */
export const Staleness: Context.Reference<number> = Context.Reference("@webagent/simulation/Staleness", {
  defaultValue: () => 0
})

type Move = Extract<Draft, { readonly type: "move" }>

// the journal's moves are those of records: a step is none
const movesOf = ({ events }: Step, at_ms: number, realAt_ms: number): ReadonlyArray<Move> =>
  events.flatMap(({ from, id, of, sessionId, to }): ReadonlyArray<Move> =>
    of === "step" ? [] : [{ type: "move", of, id, sessionId, from, to, seq: 0, at_ms, realAt_ms }]
  )

/**
 * The store with every commit seen: what is new and what changed its status becomes a row of the journal, the
 * request that made something is told and so are the limits of who asked, and stale reads see what was.
 */
const layer: Layer.Layer<Store, never, Store | Journal | Limits | Faults> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const store = yield* Store
    const journal = yield* Journal
    const limits = yield* Limits
    const faults = yield* Faults
    // of the service: a request may be carried out by a machine whose clock is off
    const clock = yield* Clock.Clock
    const history = RecordHistory.make<Session.Session | Turn.Turn>()
    let closed = false
    yield* Effect.addFinalizer(() => Effect.sync(() => (closed = true)))

    /** Carries a step out and keeps what its records were, while a fault may ask for it. No operation reads a browser. */
    const keeping = Effect.fnUntraced(function* (step: Step, lag_ms: number) {
      const { session, turns = [] } = step
      const sessions = session === undefined ? [] : [session]
      const before = [
        ...(yield* Effect.forEach(sessions, ({ id }) => Effect.map(store.session(id), (was) => [id, was] as const))),
        ...(yield* Effect.forEach(turns, ({ id }) => Effect.map(store.turn(id), (was) => [id, was] as const)))
      ]
      yield* store.commit(step)
      const now_ms = clock.currentTimeMillisUnsafe()
      for (const [id, was] of before) history.keep(id, was, now_ms)
      history.forget(now_ms - lag_ms)
    })

    /** Returns a record as it was for a read that is this stale; ids of sessions and turns differ. */
    const before = <A extends Session.Session | Turn.Turn>(id: string, now: Option.Option<A>, stale_ms: number) =>
      history.at(id, now, clock.currentTimeMillisUnsafe() - stale_ms) as Option.Option<A>

    /** Writes what a stored step changed into the journal. */
    const noted = (step: Step) =>
      Effect.withFiber((fiber) => {
        // a request that began before a restore has no visible effect
        if (closed) return Effect.void
        const at_ms = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
        const realAt_ms = fiber.getRef(RealClock).currentTimeMillisUnsafe()
        const moves = movesOf(step, at_ms, realAt_ms)
        const context = fiber.getRef(CurrentRequest)
        if (context !== undefined)
          context.made ??= moves.find(({ from, of }) => from === null && of === context.makes)?.id ?? null
        for (const move of moves) {
          limits.moved(move, context)
          if (context === undefined && move.of === "turn" && move.from === null) move.by = "console"
          journal.recordUnsafe(move)
        }
        return Effect.void
      })

    const commit = (step: Step) =>
      Effect.suspend(() => {
        const lag_ms = faults.matcherUnsafe()?.lag_ms ?? 0
        const stored =
          lag_ms === 0 ? Effect.tap(store.commit(step), () => Effect.sync(history.clear)) : keeping(step, lag_ms)
        return Effect.flatMap(stored, () => noted(step))
      })

    /** A read, seen through what was if the request is a stale one: nearly none is, and most requests are reads. */
    const seen = <A>(
      read: Effect.Effect<A, StoreUnavailable>,
      stale: (now: A, stale_ms: number) => A
    ): Effect.Effect<A, StoreUnavailable> =>
      Effect.withFiber((fiber) => {
        const stale_ms = fiber.getRef(Staleness)
        return stale_ms === 0 ? read : Effect.map(read, (now) => stale(now, stale_ms))
      })

    const session = (id: string) => seen(store.session(id), (now, stale_ms) => before(id, now, stale_ms))

    const turn = (id: string) => seen(store.turn(id), (now, stale_ms) => before(id, now, stale_ms))

    const turnsOf = (sessionId: string) =>
      seen(store.turnsOf(sessionId), (now, stale_ms) =>
        now.flatMap((turn) => Option.toArray(before(turn.id, Option.some(turn), stale_ms)))
      )

    return { ...store, commit, session, turn, turnsOf }
  })
)

/** A store in memory with these records, observed until its engine closes. */
export const layerOf = (records: Records): Layer.Layer<Store, never, Journal | Limits | Faults> =>
  Layer.provide(layer, MemoryStore.layerOf(records))
