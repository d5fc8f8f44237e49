import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { TestPostgres } from "../src/TestPostgres.ts"

const version = (url: string) =>
  PgClient.PgClient.use((sql) => sql<{ readonly version: string }>`SELECT version()`).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), connectTimeout: "1 second" }))
  )

it.live(
  "TestPostgres responds with an empty database, stops responding after a kill, and responds again after a start",
  () =>
    Effect.gen(function* () {
      const postgres = yield* TestPostgres
      const url = yield* postgres.database
      assert.match((yield* version(url))[0]?.version ?? "", /^PostgreSQL 18\./u)
      yield* postgres.kill
      assert.isTrue(Result.isFailure(yield* Effect.result(version(url))))
      yield* postgres.start
      yield* version(url)
      yield* postgres.freeze
      assert.isTrue(Result.isFailure(yield* Effect.result(version(url))))
      yield* postgres.thaw
      yield* version(url)
    }).pipe(Effect.provide(TestPostgres.layer))
)
