import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Browser } from "./domain/Browser.ts"
import type { IdempotencyRecord } from "./domain/IdempotencyRecord.ts"
import type { Session } from "./domain/Session.ts"
import type { Turn } from "./domain/Turn.ts"
import { Store } from "./ports/Store.ts"

const make = Effect.sync(() => {
  const sessions = new Map<string, Session>()
  const browsers = new Map<string, Browser>()
  const turns = new Map<string, Turn>()
  const records = new Map<string, IdempotencyRecord>()
  // most sessions have one turn: its id exclusively is a hundred bytes less than an array of it
  const order = new Map<string, string | Array<string>>()

  const putTurn = (turn: Turn) => {
    if (!turns.has(turn.id)) {
      const known = order.get(turn.sessionId)
      if (known === undefined) order.set(turn.sessionId, turn.id)
      else if (typeof known === "string") order.set(turn.sessionId, [known, turn.id])
      else known.push(turn.id)
    }
    turns.set(turn.id, turn)
  }

  // a key that is used again counts from then on, so the oldest record stays in front
  const putRecord = (record: IdempotencyRecord) => {
    records.delete(record.key)
    records.set(record.key, record)
  }

  const forget = (until_ms: number) => {
    for (const { createdAt_ms, key } of records.values()) {
      if (createdAt_ms > until_ms) return
      records.delete(key)
    }
  }

  const find = <A>(known: ReadonlyMap<string, A>, id: string) =>
    Effect.sync(() => Option.fromUndefinedOr(known.get(id)))

  const all = <A>(known: ReadonlyMap<string, A>) => Stream.suspend(() => Stream.fromIterable([...known.values()]))

  return Store.of({
    commit: (changes) =>
      Effect.sync(() => {
        for (const session of changes.sessions ?? []) sessions.set(session.id, session)
        for (const turn of changes.turns ?? []) putTurn(turn)
        for (const browser of changes.browsers ?? []) browsers.set(browser.id, browser)
        for (const record of changes.idempotencyRecords ?? []) putRecord(record)
      }),
    session: (id) => find(sessions, id),
    turn: (id) => find(turns, id),
    turnsOf: (sessionId) =>
      Effect.sync(() => {
        const ids = order.get(sessionId) ?? []
        return (typeof ids === "string" ? [ids] : ids).flatMap((id) => turns.get(id) ?? [])
      }),
    browser: (id) => find(browsers, id),
    idempotencyRecord: (key) => find(records, key),
    sessions: all(sessions),
    turns: all(turns),
    browsers: all(browsers),
    idempotencyRecords: all(records),
    forgetIdempotencyRecords: (until_ms) => Effect.sync(() => forget(until_ms)),
    clear: Effect.sync(() => {
      for (const known of [sessions, browsers, turns, records, order]) known.clear()
    })
  })
})

/** Everything in memory and gone with the process; only idempotency records are ever forgotten before. */
export const layer: Layer.Layer<Store> = Layer.effect(Store, make)
