import { assert, it } from "@effect/vitest"
import { Decide, Session, Store, Turn } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { PostgresDatabase, SqlStore } from "../src/index.ts"
import { startPostgres } from "./postgres.ts"

const { address } = startPostgres()

const models = ["a", "b", "c"]
const sessions = 60

it.live("commits that finish turns with several models at the same time don't deadlock", () =>
  Effect.gen(function* () {
    const url = yield* address
    const node = Effect.map(
      Layer.build(Layer.fresh(Layer.provideMerge(SqlStore.layer, PostgresDatabase.layer({ url, connections: 10 })))),
      (context) => ({
        store: Effect.runSync(Effect.provideContext(Effect.service(Store), context)),
        sql: Effect.runSync(Effect.provideContext(Effect.service(SqlClient.SqlClient), context))
      })
    )
    const { sql, store } = yield* node
    // all connections write the same row of a sum, as those of many nodes sometimes do
    const [written] = yield* sql<{ readonly text: string }>`SELECT pg_get_functiondef('turn_spent'::regproc) AS text`
    const sharing = (written?.text ?? "").replace(/pg_backend_pid\(\) % \d+/u, "0")
    assert.notStrictEqual(sharing, written?.text)
    yield* sql.unsafe(sharing)
    const all = Array.from({ length: sessions }, (_, index) => `s${index}`)
    const turnOf = (sessionId: string, model: string) =>
      Turn.make({
        id: `${sessionId}${model}`,
        sessionId,
        model,
        owner: "ann",
        task: "a mug",
        agentVersion: "1",
        modelParams: null,
        createdAt_ms: 0
      })
    for (const [index, id] of all.entries()) {
      // every session in another order
      const order = models.map((_, at) => models[(at * (1 + (index % 2)) + index) % 3] ?? "a")
      const [first = "a", ...more] = order
      const made = Decide.created(
        Session.make({ id, thinkingLevel: null, createdAt_ms: 0, owner: "ann" }),
        turnOf(id, first)
      )
      yield* store.commit({ session: made.session, turns: made.turns, events: [] })
      for (const model of more) {
        const state = Option.getOrThrow(yield* store.sessionState(id))
        const next = Result.getOrThrow(
          Decide.decide(state, { _tag: "Queue", turn: turnOf(id, model), interrupt: false }, 1)
        )
        yield* store.commit({ session: next.session, turns: next.turns, events: [] })
      }
    }
    const stopped = yield* Effect.forEach(
      all,
      Effect.fnUntraced(function* (id) {
        const state = Option.getOrThrow(yield* store.sessionState(id))
        const { events, session, turns } = Result.getOrThrow(Decide.decide(state, { _tag: "Stop" }, 2))
        assert.lengthOf(turns, 3)
        return { events, session, turns }
      })
    )
    const ended = yield* Effect.forEach(stopped, (step) => Effect.result(store.commit(step)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(ended.filter(Result.isFailure), [])
    const [waits] = yield* sql<{ readonly deadlocks: number }>`SELECT deadlocks FROM pg_stat_database
      WHERE datname = current_database()`
    assert.strictEqual(waits?.deadlocks, 0)
    const spend = yield* store.lists.spend({ from_ms: 0, to_ms: 86_400_000 })
    assert.deepStrictEqual(
      spend.map((each) => [each.model, each.turns]),
      models.map((model) => [model, sessions])
    )
  }).pipe(Effect.scoped)
)
