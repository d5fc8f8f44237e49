import { assert, it } from "@effect/vitest"
import { Hints } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { DatabaseSync } from "node:sqlite"
import { FileHints, NodeSqlite } from "../src/index.ts"
import { file } from "./files.ts"

it.effect("FileHints sends a hint within a second of another process's commit, and none for the server's own", () =>
  Effect.gen(function* () {
    const path = yield* file
    const heard = { work: 0, events: 0 }
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const hints = yield* Hints
      yield* Effect.forkScoped(Stream.runForEach(hints.heard("one"), () => Effect.sync(() => void heard.work++)))
      yield* Effect.forkScoped(Stream.runForEach(hints.heardEvents, () => Effect.sync(() => void heard.events++)))
      yield* TestClock.adjust(0)
      for (let second = 0; second < 60; second++) {
        yield* sql`INSERT INTO notes VALUES (${`own ${second}`})`
        yield* TestClock.adjust("1 second")
      }
      assert.deepStrictEqual(heard, { work: 0, events: 0 })
      const command = new DatabaseSync(path)
      command.exec("INSERT INTO notes VALUES ('of a command'), ('of the same commit')")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(heard, { work: 1, events: 1 })
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(heard, { work: 1, events: 1 })
      command.close()
    }).pipe(
      Effect.scoped,
      Effect.provide(
        FileHints.layer.pipe(
          Layer.provideMerge(
            Layer.provideMerge(
              Layer.effectDiscard(SqlClient.SqlClient.use((sql) => sql`CREATE TABLE notes (text TEXT)`)),
              NodeSqlite.layer({ file: path })
            )
          )
        )
      )
    )
  })
)
