import { usage } from "@webagent/cli/UserError"
import { TimeOrderedIds } from "@webagent/engine"
import { FileFolder, madeSecret, SqlWorkspaces } from "@webagent/sql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { hash } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ownFolder } from "./ownFolder.ts"

/** Storage of the files of workspaces. */
export interface FilesOptions {
  /** Folder of their bytes. Without one the server has no workspaces. */
  readonly folder: string | undefined
  readonly limits: SqlWorkspaces.FileLimits
  /** Time that a file is stored after its last change, in milliseconds. */
  readonly keep_ms: number
}

/**
 * Checks that the folder is the one of all servers of the database: a file in it has a name that the database knows. The
 * first server makes it.
 */
const checkShared = Effect.fnUntraced(function* (folder: string) {
  const { isNew, value } = yield* Effect.orDie(madeSecret("files"))
  const marker = join(folder, `database-${hash("sha256", value, "hex").slice(0, 16)}`)
  if (isNew) yield* Effect.sync(() => writeFileSync(marker, "", { mode: 0o600 }))
  // the server that made the name may be about to make the file
  yield* Effect.suspend(() => (existsSync(marker) ? Effect.void : Effect.fail(undefined))).pipe(
    Effect.retry({ times: 20, schedule: Schedule.spaced("100 millis") }),
    Effect.mapError(() =>
      usage(
        `${folder} doesn't have this database's files. Set --files to the folder that the other servers use. If that folder is lost, create the file ${marker} and start again.`
      )
    )
  )
})

/** Workspaces, with their files in a folder. `isShared` says that other servers use the database. */
export const layerFiles = ({ folder, limits }: FilesOptions, isShared: boolean) =>
  folder === undefined
    ? Layer.empty
    : Layer.unwrap(
        Effect.gen(function* () {
          const own = yield* ownFolder(folder)
          yield* isShared ? checkShared(own) : Effect.orDie(SqlWorkspaces.recover)
          return Layer.provide(SqlWorkspaces.layer(limits), [FileFolder.layer(own), TimeOrderedIds.layer])
        })
      )
