import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as Folder from "@webagent/cli/Folder"
import { usageOf } from "@webagent/cli/UserError"

/** Default folder of the reports of runs. */
export const runs = join(".webagent", "runs")

const localName = DateTime.nowInCurrentZone.pipe(
  Effect.map((now) => DateTime.formatIsoOffset(now).slice(0, 19).replaceAll(":", "-")),
  Effect.provide(DateTime.layerCurrentZoneLocal)
)

/**
 * Creates the folder for a run's reports: the named one, else a new one named by the local time. One that cannot be
 * written to is a UserError now, and not when the run has ended.
 */
export const create = Effect.fnUntraced(
  function* (named: string | undefined) {
    const fs = yield* FileSystem.FileSystem
    const writable = (path: string) => Effect.as(fs.access(path, { writable: true }), path)
    if (named !== undefined) {
      yield* Folder.make(named)
      return yield* writable(named)
    }
    const name = yield* localName
    yield* Folder.make(runs)
    const attempt = (path: string) => Effect.as(fs.makeDirectory(path), path)
    // two runs may begin within one second
    const directory = yield* attempt(join(runs, name)).pipe(
      Effect.catch(() => attempt(join(runs, `${name}-${process.pid}`)))
    )
    return yield* writable(directory)
  },
  Effect.mapError(usageOf("The reports cannot be written", "Choose another folder with --report-dir."))
)

/** Removes what an earlier report of the same name has left: with part of a new one it would be neither. */
export const clear = Effect.fnUntraced(
  function* (files: ReadonlyArray<string>) {
    const fs = yield* FileSystem.FileSystem
    yield* Effect.forEach(files, (file) => fs.remove(file, { force: true }), { discard: true })
  },
  Effect.mapError(usageOf("An earlier report cannot be removed", "Choose another folder with --report-dir."))
)
