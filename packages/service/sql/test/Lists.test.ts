import { assert, describe, it } from "@effect/vitest"
import { ListsPreparing, Store } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { Database, NodeSqlite, SqlStore } from "../src/index.ts"
import { loader, newest } from "../src/migrations.ts"
import { table } from "../src/schema.ts"
import { file } from "./files.ts"
import { listsOldRecords, listsOver, prepared } from "./lists.ts"
import { insertAllOld } from "./oldRecords.ts"
import { plansOf } from "./plans.ts"

const database = Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path })))

listsOver("SQLite", database)

/** The version before lists. */
const before = Migrator.make({})({ loader: Effect.map(loader, (all) => all.slice(0, 5)), table })

const over = (path: string) => Layer.provideMerge(SqlStore.layer, Database.layer({ file: path }))

describe("lists over SQLite", () => {
  it.live("have the records of an earlier version's file after its migration", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* Effect.provide(Effect.andThen(before, insertAllOld), NodeSqlite.layer({ file: path }))
      const { from, to } = yield* Database.migrate(path)
      assert.deepStrictEqual([from, to], [5, newest])
      yield* Effect.provide(listsOldRecords, over(path))
    })
  )

  it.live("find every record of a page by its number", () =>
    Effect.gen(function* () {
      const path = yield* file
      const reads = Effect.gen(function* () {
        const { lists } = yield* Store
        const place = { at_ms: 5, n: 5 }
        for (const after of [null, place]) {
          yield* lists.turns({}, after, 50)
          yield* lists.turns({ owner: "a" }, after, 50)
          yield* lists.turns({ statuses: ["queued", "running"], from_ms: 1, to_ms: 2 }, after, 50)
          yield* lists.turns({ tag: "a" }, after, 50)
          yield* lists.turns({ sessionId: "a" }, after, 50)
          yield* lists.turns({ minCost: "1", node: "n", failure: "f", model: "m" }, after, 50)
          yield* lists.sessions({ owner: "a", statuses: ["active"] }, after, 50)
          yield* lists.sessions({ statuses: ["stopped"] }, after, 50)
          yield* lists.browsers({ node: "a" }, after, 50)
        }
        yield* lists.spend({ from_ms: 0, to_ms: 1 })
      })
      for (const { steps, text } of yield* plansOf(path, Effect.provide(reads, over(path)))) {
        if (!text.includes("_list")) continue
        // the lists themselves are read by the index that each statement names
        const records = steps.filter((step) => /\bt\b/u.test(step))
        assert.isTrue(
          records.every((step) => step === "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"),
          `${text}\n${steps.join("\n")}`
        )
      }
    })
  )

  it.live("search for words once older runs are indexed, and report how many are until then", () =>
    Effect.gen(function* () {
      const path = yield* file
      const turns = (from: number, to: number, task: string) =>
        SqlClient.SqlClient.use(
          (sql) => sql`INSERT INTO turns (id, session_id, seq, status, usd, record)
            WITH RECURSIVE numbers (i) AS (SELECT CAST(${from} AS INTEGER) UNION ALL SELECT i + 1 FROM numbers WHERE i < ${to})
            SELECT 'r' || i, 's' || i, 1, 'queued', 0, json_object('id', 'r' || i, 'createdAt_ms', i, 'task', ${task})
            FROM numbers`
        )
      yield* Effect.provide(turns(1, 6000, "a mug"), Database.layer({ file: path }))
      yield* Effect.gen(function* () {
        const { lists } = yield* Store
        const { cause } = yield* Effect.flip(lists.turns({ text: "mug" }, null, 3))
        assert.deepStrictEqual(cause, new ListsPreparing({ percent: 0 }))
        assert.lengthOf((yield* lists.turns({}, null, 3)).rows, 3)
        const { rows } = yield* prepared(lists.turns({ text: "mug" }, null, 3))
        assert.deepStrictEqual(
          rows.map(({ id }) => id),
          ["r6000", "r5999", "r5998"]
        )
        // SQLite gives the number of the newest turn, when that is deleted, to the next one
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM turns WHERE id = 'r6000'`
        yield* turns(6001, 6001, "a zebra")
        yield* turns(6002, 7000, "a mug")
        const zebras = yield* lists.turns({ text: "zebra" }, null, 3)
        assert.deepStrictEqual(
          zebras.rows.map(({ id }) => id),
          ["r6001"]
        )
      }).pipe(Effect.provide(over(path)))
    })
  )
})
