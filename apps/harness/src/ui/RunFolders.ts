import { MissingError, type RunFile } from "@webagent/harness-api"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join, sep } from "node:path"
import * as ReportDirectory from "../cli/reports/ReportDirectory.ts"

/** The folders of runs, read-only. No name leads out of them: neither a path nor a symbolic link. */
export interface RunFolders {
  /** The names of all folders, the newest first. */
  readonly names: Effect.Effect<ReadonlyArray<string>>
  /** The path of a run's folder. */
  readonly pathOf: (run: string) => Effect.Effect<string, MissingError>
  /** The path of a file below a run's folder. */
  readonly fileOf: (run: string, ...parts: ReadonlyArray<string>) => Effect.Effect<string, MissingError>
  /** The files of a run's folder; those of its subfolders have operations of their own. */
  readonly filesOf: (run: string) => Effect.Effect<ReadonlyArray<RunFile>, MissingError>
}

const isPlain = (name: string) => /^[^./\\\0][^/\\\0]*$/u.test(name)

const noRun = (run: string) => new MissingError({ detail: `There is no run "${run}".` })

const noFile = (run: string, file: string) => new MissingError({ detail: `Run "${run}" has no file "${file}".` })

/** Makes the folders of runs in a folder: by default, that of the working directory. */
export const make = Effect.fnUntraced(function* (root = ReportDirectory.runs) {
  const fs = yield* FileSystem.FileSystem

  /** The path itself; undefined if it isn't there, or leads elsewhere. */
  const real = (folder: string, path: string) =>
    Effect.gen(function* () {
      const [home, target] = [yield* fs.realPath(folder), yield* fs.realPath(join(folder, path))]
      return target.startsWith(`${home}${sep}`) ? target : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))

  const pathOf = Effect.fnUntraced(function* (run: string) {
    const path = isPlain(run) ? yield* real(root, run) : undefined
    return path ?? (yield* noRun(run))
  })

  const fileOf = Effect.fnUntraced(function* (run: string, ...parts: ReadonlyArray<string>) {
    const folder = yield* pathOf(run)
    const path = parts.every(isPlain) ? yield* real(folder, join(...parts)) : undefined
    return path ?? (yield* noFile(run, parts.join("/")))
  })

  return {
    names: Effect.map(
      Effect.orElseSucceed(fs.readDirectory(root), (): Array<string> => []),
      (names) => names.filter(isPlain).toSorted().toReversed()
    ),
    pathOf,
    fileOf,
    filesOf: Effect.fnUntraced(function* (run) {
      const folder = yield* pathOf(run)
      const names = yield* Effect.orElseSucceed(fs.readDirectory(folder), (): Array<string> => [])
      const files = yield* Effect.forEach(names.filter(isPlain).toSorted(), (name) =>
        Effect.gen(function* () {
          const info = yield* fs.stat(yield* fileOf(run, name))
          return info.type === "File" ? [{ name, bytes: ByteSize.toNumberUnsafe(info.size) }] : []
        }).pipe(Effect.orElseSucceed((): ReadonlyArray<RunFile> => []))
      )
      return files.flat()
    })
  } satisfies RunFolders
})
