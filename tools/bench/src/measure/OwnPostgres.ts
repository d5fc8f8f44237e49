import * as PgClient from "@effect/sql-pg/PgClient"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { cpuOfAll_s } from "./Processes.ts"

/** Process id of the postmaster: the parent of the connection's backend. */
const postmasterPid = PgClient.PgClient.use((sql) =>
  Effect.map(sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`, ([backend]) =>
    Number(/PPid:\s+(\d+)/u.exec(readFileSync(`/proc/${backend?.pid}/status`, "utf8"))?.[1])
  )
)

/** Starts a Postgres with an empty database that nothing else uses, so that its CPU time is that of its servers. */
export const startPostgres = Effect.gen(function* () {
  const server = yield* Effect.service(TestPostgres).pipe(
    Effect.provide(yield* Layer.build(Layer.fresh(TestPostgres.layer)))
  )
  const address = yield* server.database
  const client = yield* Layer.build(PgClient.layer({ url: Redacted.make(address), maxConnections: 1 }))
  const postmaster = yield* Effect.provide(postmasterPid, client)
  return { address, client, cpu_s: () => cpuOfAll_s(postmaster) }
})
