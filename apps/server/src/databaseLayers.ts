import { Database, DatabaseError, type NodeSqlite, PostgresDatabase } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync } from "node:fs"
import type { Data } from "./data.ts"

/** Durability and log size of a database file. */
export type SqliteSettings = Pick<NodeSqlite.SqliteOptions, "durable" | "logLimit">

/** The database, which is made ready when it is new. */
export const layerDatabase = (data: Data, sqlite: SqliteSettings = {}) =>
  data._tag === "File" ? Database.layer({ file: data.name, ...sqlite }) : PostgresDatabase.layer({ url: data.url })

/** The database of a command that is of no use with a new one. */
export const layerExisting = (data: Data): ReturnType<typeof layerDatabase> =>
  Layer.unwrap(
    Effect.suspend(() => {
      if (data._tag === "Postgres") return Effect.succeed(PostgresDatabase.layerExisting({ url: data.url }))
      if (existsSync(data.name)) return Effect.succeed(layerDatabase(data))
      const message = `${data.name} does not exist. Choose the database with --data.`
      return Effect.fail(new DatabaseError({ database: data.name, message }))
    })
  )
