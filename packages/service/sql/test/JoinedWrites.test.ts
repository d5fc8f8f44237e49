import { assert, describe, it } from "@effect/vitest"
import { type Step, Store } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { SqlStore } from "../src/index.ts"
import { startPostgres } from "./postgres.ts"

const { database } = startPostgres()

const withStore = <A, E>(use: Effect.Effect<A, E, Store | SqlClient.SqlClient>) =>
  Effect.provide(use, Layer.provideMerge(SqlStore.layer, database))

const commit = (step: Step) => Store.use((store) => store.commit(step))

/** Numbers of rows in the tables that a commit writes, including those that its triggers write. */
const rows = SqlClient.SqlClient.use((sql) =>
  Effect.forEach(["sessions", "session_list", "turns", "turn_list", "turn_texts", "turn_tags", "events"], (table) =>
    Effect.map(
      sql<{ readonly n: number }>`SELECT count(*) AS n FROM ${sql(table)}`,
      ([count]) => `${count?.n} ${table}`
    )
  )
)

/** A new session with this number of turns. */
const withTurns = (name: string, count: number) => {
  const { events, session, turns } = creation(name)
  const more = Array.from({ length: count }, (_, index) =>
    turns.map((turn) => ({ ...turn, id: `${turn.id}-${index}`, seq: index + 1, tags: ["a tag"] }))
  )
  return { events, session, turns: more.flat() }
}

describe("JoinedWrites", () => {
  it.live("write nothing for a refused step, and name the first record in the refusal", () =>
    withStore(
      Effect.gen(function* () {
        yield* commit(withTurns("1", 1))
        const before = yield* rows
        for (const count of [3, 40]) {
          const step = withTurns("2", count)
          // the last turn is of another session, so everything else is written before it is refused
          const turns = [...step.turns.slice(1), ...withTurns("1", 1).turns]
          assert.deepInclude(yield* Effect.flip(commit({ ...step, turns })), { _tag: "Conflict", id: "t1-0" })
        }
        assert.deepInclude(yield* Effect.flip(commit(withTurns("1", 2))), { _tag: "Conflict", id: "s1" })
        assert.deepStrictEqual(yield* rows, before)
      })
    )
  )

  it.live("store a step with more statements than Postgres accepts at once", () =>
    withStore(
      Effect.gen(function* () {
        yield* commit(withTurns("1", 40))
        assert.deepStrictEqual(yield* rows, [
          "1 sessions",
          "1 session_list",
          "40 turns",
          "40 turn_list",
          "40 turn_texts",
          "40 turn_tags",
          "2 events"
        ])
      })
    )
  )

  it.live("join a step to its surrounding transaction", () =>
    withStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const before = yield* rows
        yield* Effect.exit(sql.withTransaction(Effect.andThen(commit(creation("1")), Effect.fail("undone"))))
        assert.deepStrictEqual(yield* rows, before)
        yield* sql.withTransaction(
          Effect.andThen(commit(creation("1")), Effect.ignore(commit({ ...creation("1"), events: [] })))
        )
        assert.include(yield* rows, "1 sessions")
      })
    )
  )
})
