import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Changes, Store } from "../store/Store.ts"
import { CurrentExchange, type Exchange } from "./Exchange.ts"
import { Journal, type Row } from "./Journal.ts"
import { Limits } from "./Limits.ts"

type Move = Extract<Row, { readonly type: "move" }>

interface Stateful {
  readonly id: string
  readonly status: string
}

/** The row of one change; none for a change that is not one of status. */
const moveOf = <A extends Stateful>(of: Move["of"], record: A, before: Option.Option<A>): ReadonlyArray<Move> => {
  const from = Option.isSome(before) ? before.value.status : null
  const sessionId = "sessionId" in record && typeof record.sessionId === "string" ? record.sessionId : null
  return from === record.status ? [] : [{ type: "move", of, id: record.id, sessionId, from, to: record.status }]
}

const note = (exchange: Exchange | undefined, moves: ReadonlyArray<Move>) => {
  if (exchange === undefined || exchange.makes === null) return
  exchange.made ??= moves.find((move) => move.from === null && move.of === exchange.makes)?.id ?? null
}

/**
 * The store with every commit seen: what is new and what changed its status becomes a row of the journal, and
 * the request that made something is told, and so are the limits of who asked.
 */
export const layer: Layer.Layer<Store, never, Store | Journal | Limits> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const store = yield* Store
    const journal = yield* Journal
    const limits = yield* Limits

    const movesOf = Effect.fnUntraced(function* (changes: Changes) {
      const moves: Array<Move> = []
      for (const record of changes.sessions ?? []) {
        moves.push(...moveOf("session", record, yield* store.session(record.id)))
      }
      for (const record of changes.turns ?? []) moves.push(...moveOf("turn", record, yield* store.turn(record.id)))
      for (const record of changes.browsers ?? []) {
        moves.push(...moveOf("browser", record, yield* store.browser(record.id)))
      }
      return moves
    })

    // Nobody else writes between the look at what was and the commit: the engine is the only writer, and of one
    // record it has one change at a time.
    const commit = Effect.fnUntraced(function* (changes: Changes) {
      const moves = yield* movesOf(changes)
      yield* store.commit(changes)
      const exchange = yield* CurrentExchange
      note(exchange, moves)
      for (const move of moves) {
        limits.moved(move, exchange)
        yield* journal.record(move)
      }
    })

    return { ...store, commit }
  })
)
