// Writes a row in each transaction until it is killed, and prints each row once it is committed.
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { NodeSqlite } from "../src/index.ts"

const [file = ""] = process.argv.slice(2)

/** Prints a line, and waits until the pipe has taken it: a reader that is busy holds the writer back. */
const print = (line: string) =>
  Effect.callback<void>((resume) => void process.stdout.write(`${line}\n`, () => resume(Effect.void)))

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
    yield* print(String(id))
  }
})

await Effect.runPromise(Effect.provide(program, NodeSqlite.layer({ file, checkpointEvery_ms: 1 })))
