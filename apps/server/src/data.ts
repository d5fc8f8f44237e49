import { Database, DatabaseError, type NodeSqlite, PostgresDatabase } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { existsSync } from "node:fs"
import { dirname } from "node:path"

/** Storage of a server, as set by `--data`. */
export type Data =
  | { readonly _tag: "File"; readonly name: string }
  | {
      readonly _tag: "Postgres"
      /** Without its password, for people and logs. */
      readonly name: string
      readonly url: Redacted.Redacted
    }

export const dataOf = (text: string): Data => {
  if (!PostgresDatabase.isAddress(text)) return { _tag: "File", name: text }
  const url = Redacted.make(text)
  return { _tag: "Postgres", name: PostgresDatabase.shown(url), url }
}

/** The folder of what is kept beside the database, such as recordings. */
export const folderOf = (data: Data): string => (data._tag === "File" ? dirname(data.name) : ".webagent")

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
