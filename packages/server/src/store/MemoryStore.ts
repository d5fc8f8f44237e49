import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Browser } from "../domain/Browser.ts"
import type { Session } from "../domain/Session.ts"
import type { Turn } from "../domain/Turn.ts"
import { Store } from "./Store.ts"

const make = Effect.sync(() => {
  const sessions = new Map<string, Session>()
  const browsers = new Map<string, Browser>()
  const turns = new Map<string, Turn>()
  const order = new Map<string, Array<string>>()

  const putTurn = (turn: Turn) => {
    if (!turns.has(turn.id)) {
      const ids = order.get(turn.sessionId)
      if (ids === undefined) order.set(turn.sessionId, [turn.id])
      else ids.push(turn.id)
    }
    turns.set(turn.id, turn)
  }

  return Store.of({
    commit: (changes) =>
      Effect.sync(() => {
        for (const session of changes.sessions ?? []) sessions.set(session.id, session)
        for (const turn of changes.turns ?? []) putTurn(turn)
        for (const browser of changes.browsers ?? []) browsers.set(browser.id, browser)
      }),
    session: (id) => Effect.sync(() => Option.fromUndefinedOr(sessions.get(id))),
    turn: (id) => Effect.sync(() => Option.fromUndefinedOr(turns.get(id))),
    turnsOf: (sessionId) => Effect.sync(() => (order.get(sessionId) ?? []).flatMap((id) => turns.get(id) ?? [])),
    browser: (id) => Effect.sync(() => Option.fromUndefinedOr(browsers.get(id)))
  })
})

/** Everything in memory, gone with the process, and never removed before. */
export const layer: Layer.Layer<Store> = Layer.effect(Store, make)
