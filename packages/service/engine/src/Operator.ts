import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { endBrowser } from "./browserEnd.ts"
import type { Browser } from "./domain/Browser.ts"
import * as Decide from "./domain/Decide.ts"
import { BrowserNotFound, TurnNotFound } from "./domain/Errors.ts"
import type { Turn } from "./domain/Turn.ts"
import { Hints } from "./ports/Hints.ts"
import { Store, type StoreUnavailable } from "./ports/Store.ts"

/** Result of an operator's command. */
export interface Stopped<Record> {
  /** The record as it is now. */
  readonly record: Record
  /** True if the command changed it; false for a record that was already finished. */
  readonly changed: boolean
  /** The node that still has to let go; null if no node has it. */
  readonly node: string | null
}

/**
 * Cancels runs and stops browsers of any owner from outside of the servers. It writes to the store, where the node that
 * has the run or browser finds it with its next look.
 */
export class Operator extends Context.Service<
  Operator,
  {
    readonly cancelTurn: (id: string) => Effect.Effect<Stopped<Turn>, TurnNotFound | StoreUnavailable>
    readonly stopBrowser: (id: string) => Effect.Effect<Stopped<Browser>, BrowserNotFound | StoreUnavailable>
  }
>()("@webagent/engine/Operator") {
  static readonly layer: Layer.Layer<Operator, never, Store> = Layer.effect(
    Operator,
    Effect.gen(function* () {
      const store = yield* Store
      const hints = yield* Hints
      const end = endBrowser(store)
      const hint = (node: string | null) => (node === null ? Effect.void : hints.tell(node))

      const endOf = Effect.fnUntraced(function* (id: string, reason: "asked" | "session_stopped") {
        const before = Option.getOrUndefined(yield* store.browser(id))
        const record = yield* end(id, reason)
        if (before === undefined || record === undefined) return yield* new BrowserNotFound({ id })
        const changed = before.status !== "stopped"
        if (changed) yield* Effect.andThen(hint(record.node), hints.tellEvents)
        return { record, changed, node: record.node }
      })

      const cancelTurn = (id: string): Effect.Effect<Stopped<Turn>, TurnNotFound | StoreUnavailable> =>
        Effect.gen(function* () {
          const turn = Option.getOrUndefined(yield* store.turn(id))
          if (turn === undefined) return yield* new TurnNotFound({ id })
          const state = Option.getOrUndefined(yield* store.sessionState(turn.sessionId))
          if (state === undefined) return yield* new TurnNotFound({ id })
          const lease = state.session.lease
          const node = lease?.turnId === id ? lease.node : null
          const decided = Decide.decide(state, { _tag: "Cancel", turnId: id }, yield* Clock.currentTimeMillis)
          if (Result.isFailure(decided)) return { record: turn, changed: false, node }
          const { events, session, turns, turnSteps } = decided.success
          const conflict = yield* store.commit({ session, turns, turnSteps, events }).pipe(
            Effect.as(false),
            Effect.catchTags({
              Conflict: () => Effect.succeed(true),
              AdmissionRefused: Effect.die,
              KeyTaken: Effect.die
            })
          )
          // the session changed meanwhile
          if (conflict) return yield* cancelTurn(id)
          yield* Effect.andThen(hint(node), hints.tellEvents)
          if (session.status === "stopped" && session.browserId !== null) {
            yield* Effect.catchTag(endOf(session.browserId, "session_stopped"), "BrowserNotFound", () => Effect.void)
          }
          return { record: decided.success.turn ?? turn, changed: true, node }
        })

      return { cancelTurn, stopBrowser: (id) => endOf(id, "asked") }
    })
  )
}
