import * as PostgresAddress from "@webagent/sql/PostgresAddress"
import * as Redacted from "effect/Redacted"
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
  if (!PostgresAddress.isAddress(text)) return { _tag: "File", name: text }
  const url = Redacted.make(text)
  return { _tag: "Postgres", name: PostgresAddress.shown(url), url }
}

/** The folder of what is kept beside the database, such as recordings. */
export const folderOf = (data: Data): string => (data._tag === "File" ? dirname(data.name) : ".webagent")
