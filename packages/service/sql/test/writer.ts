// Writes a row in each transaction until it is killed, and prints each row once it is committed.
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { writeSync } from "node:fs"
import { NodeSqlite } from "../src/index.ts"

const [file = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, half TEXT NOT NULL)`
  for (let id = 0; ; id++) {
    // two statements: half a transaction is a row without its end
    yield* sql.withTransaction(
      Effect.andThen(
        sql`INSERT INTO rows (id, half) VALUES (${id}, 'first')`,
        sql`UPDATE rows SET half = 'second' WHERE id = ${id}`
      )
    )
    writeSync(1, `${id}\n`)
  }
})

await Effect.runPromise(Effect.provide(program, NodeSqlite.layer({ file, checkpointEvery_ms: 1 })))
