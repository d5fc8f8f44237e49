import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { IdempotencyRecord } from "../src/domain/IdempotencyRecord.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { Store } from "../src/ports/Store.ts"
import * as records from "./domain/records.ts"

const record = (key: string, createdAt_ms: number): IdempotencyRecord => ({
  key,
  body: "body",
  createdAt_ms,
  made: { _tag: "Browser", browser: records.browser }
})

const everything = Effect.gen(function* () {
  const store = yield* Store
  return {
    sessions: yield* Stream.runCollect(store.sessions),
    turns: yield* Stream.runCollect(store.turns),
    browsers: yield* Stream.runCollect(store.browsers),
    idempotencyRecords: yield* Stream.runCollect(store.idempotencyRecords)
  }
})

describe("MemoryStore", () => {
  it.effect("gives back what was committed, by id and all of it", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const { browser, session, turn } = records
      const changes = { sessions: [session], turns: [turn], browsers: [browser], idempotencyRecords: [record("a", 0)] }
      yield* store.commit(changes)
      assert.deepStrictEqual(yield* everything, changes)
      assert.deepStrictEqual(yield* store.session(session.id), Option.some(session))
      assert.deepStrictEqual(yield* store.turn(turn.id), Option.some(turn))
      assert.deepStrictEqual(yield* store.browser(browser.id), Option.some(browser))
      assert.deepStrictEqual(yield* store.idempotencyRecord("a"), Option.some(record("a", 0)))
      assert.deepStrictEqual(yield* store.session("x"), Option.none())
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("keeps the turns of a session in the order of their creation, however they change", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const { turn } = records
      const turns = ["1", "2", "3"].map((id) => ({ ...turn, id }))
      for (const each of turns) yield* store.commit({ turns: [each] })
      yield* store.commit({ turns: turns.toReversed().map((each) => ({ ...each, status: "running" as const })) })
      const found = yield* store.turnsOf(turn.sessionId)
      assert.deepStrictEqual(
        found.map(({ id, status }) => `${id} ${status}`),
        ["1 running", "2 running", "3 running"]
      )
      assert.deepStrictEqual(yield* store.turnsOf("x"), [])
    }).pipe(Effect.provide(MemoryStore.layer))
  )

  it.effect("forgets the records that are old enough, and everything when cleared", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const keys = Effect.map(Stream.runCollect(store.idempotencyRecords), (all) => all.map(({ key }) => key))
      yield* store.commit({ idempotencyRecords: [record("a", 1), record("b", 2), record("c", 3)] })
      yield* store.commit({ idempotencyRecords: [record("a", 4)] })
      yield* store.forgetIdempotencyRecords(2)
      assert.deepStrictEqual(yield* keys, ["c", "a"])
      yield* store.commit({ sessions: [records.session], turns: [records.turn], browsers: [records.browser] })
      yield* store.clear
      assert.deepStrictEqual(yield* everything, { sessions: [], turns: [], browsers: [], idempotencyRecords: [] })
      assert.deepStrictEqual(yield* store.turnsOf(records.session.id), [])
    }).pipe(Effect.provide(MemoryStore.layer))
  )
})
