import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Browser, type Changes, type Session, Store, type Turn } from "@webagent/engine"
import { CurrentRequest, type RequestContext } from "./RequestContext.ts"
import { Faults } from "../faults/Faults.ts"
import { Journal, type Row } from "../journal/Journal.ts"
import { Limits } from "./Limits.ts"
import * as RecordHistory from "./RecordHistory.ts"

/** How old what a read is shown has to be, in milliseconds; 0 everywhere but in a stale read. */
export const Staleness: Context.Reference<number> = Context.Reference("@webagent/simulation/Staleness", {
  defaultValue: () => 0
})

type Move = Extract<Row, { readonly type: "move" }>

/** One change: what is written, and what was there. */
type Change =
  | { readonly of: "session"; readonly record: Session.Session; readonly before: Option.Option<Session.Session> }
  | { readonly of: "turn"; readonly record: Turn.Turn; readonly before: Option.Option<Turn.Turn> }
  | { readonly of: "browser"; readonly record: Browser.Browser; readonly before: Option.Option<Browser.Browser> }

/** The row of one change; none for a change that is not one of status. */
const moveOf = ({ before, of, record }: Change): ReadonlyArray<Move> => {
  const from = before._tag === "Some" ? before.value.status : null
  const sessionId = "sessionId" in record ? record.sessionId : null
  return from === record.status ? [] : [{ type: "move", of, id: record.id, sessionId, from, to: record.status }]
}

const note = (context: RequestContext | undefined, moves: ReadonlyArray<Move>) => {
  if (context === undefined || context.makes === null) return
  context.made ??= moves.find((move) => move.from === null && move.of === context.makes)?.id ?? null
}

/**
 * The store with every commit seen: what is new and what changed its status becomes a row of the journal, the
 * request that made something is told and so are the limits of who asked, and stale reads see what was.
 */
export const layer: Layer.Layer<Store, never, Store | Journal | Limits | Faults> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const store = yield* Store
    const journal = yield* Journal
    const limits = yield* Limits
    const faults = yield* Faults
    // of the service: a request may be carried out by a machine whose clock is off
    const clock = yield* Clock.Clock
    const history = RecordHistory.make<Session.Session | Turn.Turn>()

    /** Keeps what records were while a fault may ask for it. No operation reads a browser. */
    const keep = (changes: ReadonlyArray<Change>, lag_ms: number) => {
      if (lag_ms === 0) return history.clear()
      const now_ms = clock.currentTimeMillisUnsafe()
      for (const { before, of, record } of changes) if (of !== "browser") history.keep(record.id, before, now_ms)
      history.forget(now_ms - lag_ms)
    }

    /** What a record was for a read that is this stale: ids of sessions and turns differ. */
    const before = <A extends Session.Session | Turn.Turn>(id: string, now: Option.Option<A>, stale_ms: number) =>
      history.at(id, now, clock.currentTimeMillisUnsafe() - stale_ms) as Option.Option<A>

    const changesOf = Effect.fnUntraced(function* ({ browsers = [], sessions = [], turns = [] }: Changes) {
      const changes: Array<Change> = []
      for (const record of sessions) changes.push({ of: "session", record, before: yield* store.session(record.id) })
      for (const record of turns) changes.push({ of: "turn", record, before: yield* store.turn(record.id) })
      for (const record of browsers) changes.push({ of: "browser", record, before: yield* store.browser(record.id) })
      return changes
    })

    // Nothing is written between the read of the old record and the commit: the engine is the only writer, and changes
    // a record once at a time.
    const commit = Effect.fnUntraced(function* (changes: Changes) {
      const changed = yield* changesOf(changes)
      yield* store.commit(changes)
      keep(changed, faults.matcherUnsafe()?.lag_ms ?? 0)
      const moves = changed.flatMap(moveOf)
      const context = yield* CurrentRequest
      note(context, moves)
      for (const move of moves) {
        limits.moved(move, context)
        yield* journal.record(move)
      }
    })

    /** A read, seen through what was if the request is a stale one: nearly none is, and most requests are reads. */
    const seen = <A>(read: Effect.Effect<A>, stale: (now: A, stale_ms: number) => A): Effect.Effect<A> =>
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

    const clear = Effect.andThen(store.clear, Effect.sync(history.clear))

    return { ...store, commit, session, turn, turnsOf, clear }
  })
)
