import { isNotBlank } from "@webagent/cli/Flags"
import { usage, type UserError } from "@webagent/cli/UserError"
import type { DatabaseError } from "@webagent/sql"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import * as Flag from "effect/cli/Flag"
import type { Data } from "./data.ts"
import { type layerDatabase, layerExisting } from "./databaseLayers.ts"
import * as DatabaseRecords from "./databaseRecords.ts"
import { orSentence } from "./orSentence.ts"
import type { Records } from "./records.ts"
import { asServerAddress } from "./serverAddress.ts"
import * as ServerRecords from "./serverRecords.ts"
import { data } from "./settings.ts"

const keyVariable = "WEBAGENT_ADMIN_KEY"

/** `--data`, or `--server` with its key: the records that a command uses. */
export const from = {
  data,
  server: Flag.String("server").pipe(
    Flag.withDescription("Use the running server at this URL instead of a database (default: none)"),
    asServerAddress,
    Flag.optional
  ),
  adminKey: Flag.String("admin-key").pipe(
    Flag.withDescription(`Use --server with this API key (default: ${keyVariable})`),
    isNotBlank,
    Flag.optional
  )
}

/** The values of `from`. */
export interface From {
  readonly data: Data
  readonly server: Option.Option<string>
  readonly adminKey: Option.Option<string>
}

/** The server that is meant, with its key; undefined for a database. */
export const serverOf = Effect.fnUntraced(function* ({ adminKey, server }: Pick<From, "adminKey" | "server">) {
  if (Option.isNone(server)) {
    if (Option.isNone(adminKey)) return undefined
    return yield* usage("--admin-key works only with --server. Add --server URL or remove --admin-key.")
  }
  const address = server.value
  const { args } = yield* Stdio.Stdio
  // a value of the environment isn't meant for this command
  if ((yield* args).some((arg) => arg === "--data" || arg.startsWith("--data="))) {
    return yield* usage("--data and --server both name the source. Use one of them.")
  }
  const keyFrom = Option.isSome(adminKey) ? "--admin-key" : keyVariable
  const text =
    Option.getOrUndefined(adminKey) ?? Option.getOrUndefined(yield* Config.option(Config.String(keyVariable)))
  if (text === undefined || text === "") {
    return yield* usage(`Set ${keyVariable} to an API key of ${address} with the scope admin, or add --admin-key.`)
  }
  if (!/^[!-~]+$/u.test(text)) {
    return yield* usage(`The API key in ${keyFrom} has characters that no key has, such as a space or a line break.`)
  }
  return { address, key: Redacted.make(text), keyFrom }
})

/** Runs a command over the records of a database that exists, or of a server. */
export const within = <A, E, R>(
  from: From,
  use: Effect.Effect<A, E, R | Records>,
  database: (data: Data) => ReturnType<typeof layerDatabase> = layerExisting
) =>
  orSentence(
    Effect.provide(
      use,
      Layer.unwrap(
        Effect.map(serverOf(from), (server): Layer.Layer<Records, DatabaseError | UserError> =>
          server === undefined ? DatabaseRecords.layer(from.data, database(from.data)) : ServerRecords.layer(server)
        )
      )
    )
  )
