import { assert, it } from "@effect/vitest"
import { ApiKeys, Decide, keyScopes, Session, Store, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { Database, Retention, SqlApiKeys, SqlStore } from "../src/index.ts"
import { file } from "./files.ts"

const hour_ms = 3_600_000
const noon_ms = 2 * 24 * hour_ms + 12 * hour_ms

const database = Layer.mergeAll(SqlStore.layer, SqlApiKeys.layer).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path }))))
)

/** A run that ended at this time. */
const ended = (id: string, finishedAt_ms: number) => {
  const session = Session.make({ id: `s${id}`, thinkingLevel: null, createdAt_ms: 0, owner: "ci" })
  const turn = Turn.make({
    id,
    sessionId: session.id,
    task: "t",
    model: "m",
    agentVersion: "1",
    modelParams: null,
    createdAt_ms: 0,
    owner: "ci"
  })
  const { events, session: made, turns = [] } = Decide.created(session, turn)
  return {
    session: made,
    turns: turns.map((each) => ({ ...each, status: "completed" as const, finishedAt_ms })),
    events
  }
}

it.effect("what ended today is kept while a key has a limit of money a day", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon_ms)
    const store = yield* Store
    const keys = yield* ApiKeys
    const limits = { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: 1 }
    yield* keys.create({ name: "ci", scopes: keyScopes, limits })
    yield* store.commit(ended("yesterday", noon_ms - 13 * hour_ms))
    yield* store.commit(ended("today", noon_ms - hour_ms))
    const left = Effect.gen(function* () {
      yield* Retention.prune({ keep_ms: 0, keepRuns: 0 })
      return Option.isSome(yield* store.turn("yesterday")) + " " + Option.isSome(yield* store.turn("today"))
    })
    assert.strictEqual(yield* left, "false true")
    yield* keys.revoke("ci")
    assert.strictEqual(yield* left, "false false")
  }).pipe(Effect.provide(database))
)
