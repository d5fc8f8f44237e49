import { Store } from "@webagent/engine"
import { Database, PostgresDatabase, type Reader, SqlStore } from "@webagent/sql"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { bundleServer } from "../measure/Bundle.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import type { Times } from "../measure/Times.ts"
import { type Creates, measureCreates } from "./Creates.ts"
import { fill, vacuum } from "./Filling.ts"
import { measurePages, measureSums, type PageTimes } from "./Pages.ts"

/** Lists of one database. */
export interface ListsOf {
  readonly pages: Readonly<Record<string, PageTimes>>
  readonly sums: Readonly<Record<string, Times>>
  readonly creates: Creates
}

/** The result of the bench `lists`. */
export interface ListsReport extends Heading {
  readonly runs: number
  readonly sqlite: ListsOf
  readonly postgres: ListsOf
}

interface Sizes {
  readonly runs: number
  readonly times: number
  readonly rounds: number
  readonly window_ms: number
}

const tables = ["turns", "sessions", "browsers"]

/** Drops the triggers that write lists in a file, or makes them again. */
const changeFile = (file: string) => {
  let dropped: ReadonlyArray<string> = []
  return async (isListed: boolean) => {
    const db = new DatabaseSync(file, { timeout: 5000 })
    if (isListed) for (const text of dropped) db.exec(text)
    else {
      const triggers = db.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").all()
      dropped = triggers.map(({ sql }) => String(sql))
      for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`)
    }
    db.close()
  }
}

const over =
  (url: Redacted.Redacted) =>
  <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.runPromise(Effect.provide(effect, PostgresDatabase.layer({ url })))

/** Disables the triggers of a Postgres database, or enables them. */
const changePostgres = (url: Redacted.Redacted) => (isListed: boolean) =>
  over(url)(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const table of tables) {
        yield* sql.unsafe(`ALTER TABLE ${table} ${isListed ? "ENABLE" : "DISABLE"} TRIGGER USER`)
      }
    })
  )

/** Waits until text can be searched. */
const untilReady = Effect.gen(function* () {
  const { lists } = yield* Store
  const isReady = Effect.isSuccess(lists.turns({ text: "mug" }, null, 1))
  while (!(yield* isReady)) yield* Effect.sleep("200 millis")
})

/** Measures lists in a database that is filled first. */
const measured = Effect.fnUntraced(function* <E>(
  name: string,
  database: Layer.Layer<SqlClient.SqlClient | Reader, E>,
  { runs, times }: Sizes,
  log: Options["log"]
) {
  log(`${name}: a database with ${runs} runs`)
  yield* Effect.provide(fill(runs, log), database)
  log(`${name}: its lists`)
  return yield* Effect.gen(function* () {
    yield* untilReady
    yield* vacuum
    const pages = yield* measurePages(runs, times, (line) => log(`${name}: ${line}`))
    const sums = yield* measureSums(Math.min(times, 40))
    return { pages, sums }
  }).pipe(Effect.provide(Layer.provideMerge(SqlStore.layer, database)))
})

/** Lists over a file. */
const overFile = async (folder: string, bundle: string, sizes: Sizes, log: Options["log"]): Promise<ListsOf> => {
  log("SQLite: creates")
  const file = join(folder, "creates.db")
  const creates = await measureCreates(bundle, file, changeFile(file), sizes.rounds, sizes.window_ms)
  const database = Layer.fresh(Database.layer({ file: join(folder, "lists.db") }))
  return { creates, ...(await Effect.runPromise(measured("SQLite", database, sizes, log))) }
}

/** Lists over Postgres. */
const overPostgres = (bundle: string, sizes: Sizes, log: Options["log"]) =>
  Effect.gen(function* () {
    const { database } = yield* TestPostgres
    log("Postgres: creates")
    const url = Redacted.make(yield* database)
    const creates = yield* Effect.promise(() =>
      measureCreates(bundle, Redacted.value(url), changePostgres(url), sizes.rounds, sizes.window_ms)
    )
    const full = Redacted.make(yield* database)
    const { pages, sums } = yield* measured(
      "Postgres",
      Layer.fresh(PostgresDatabase.layer({ url: full, patience_ms: 600_000 })),
      sizes,
      log
    )
    return { creates, pages, sums } satisfies ListsOf
  }).pipe(Effect.provide(TestPostgres.layer), Effect.scoped, Effect.runPromise)

/** Pages, counts and sums of lists with many runs, and what lists add to a create, over SQLite and Postgres. */
export const lists = ({ log, quick, rounds }: Options): Promise<ListsReport> =>
  inFolder(async (scratch) => {
    const sizes: Sizes = quick
      ? { runs: 20_000, times: 10, rounds: 2, window_ms: 500 }
      : { runs: 1_000_000, times: 100, rounds: rounds ?? 7, window_ms: 3000 }
    const bundle = await bundleServer(join(scratch, "server"))
    const sqlite = await overFile(scratch, bundle, sizes, log)
    const postgres = await overPostgres(bundle, sizes, log)
    return { runs: sizes.runs, sqlite, postgres }
  })
