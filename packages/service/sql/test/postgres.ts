import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll } from "vitest"
import { PostgresDatabase } from "../src/index.ts"

/** The Postgres of one file of tests, gone with it. */
export const startPostgres = () => {
  const runtime = ManagedRuntime.make(TestPostgres.layer)
  afterAll(() => runtime.dispose())
  const postgres = Effect.flatMap(runtime.contextEffect, (context) =>
    Effect.provideContext(Effect.service(TestPostgres), context)
  )
  /** The address of a new database. */
  const address = Effect.map(
    Effect.flatMap(postgres, ({ database }) => database),
    Redacted.make
  )
  /** A new database, ready for a server. */
  const database = Layer.unwrap(Effect.map(address, (url) => PostgresDatabase.layer({ url })))
  return { postgres, address, database }
}
