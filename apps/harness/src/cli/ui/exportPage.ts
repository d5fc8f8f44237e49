import * as AtomicFile from "@webagent/cli/AtomicFile"
import * as Folder from "@webagent/cli/Folder"
import { terminal } from "@webagent/cli/Terminal"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { dirname } from "node:path"
import * as ExportData from "../../ui/ExportData.ts"
import * as ExportFile from "../../page/ExportFile.ts"
import * as Model from "../../ui/Model.ts"
import * as Screens from "../../page/Screens.ts"
import type { RunOptions } from "../RunFlags.ts"

/** Writes the screens with the data of the project to one file. */
export const exportPage = Effect.fnUntraced(function* (options: RunOptions, file: string) {
  yield* Screens.build
  const fs = yield* FileSystem.FileSystem
  const bundle = (yield* Screens.bundle) ?? (yield* usage(Screens.unbuiltSentence))
  const model = yield* Model.make({
    options,
    can: { run: false, change: false, pay: false },
    isOurs: () => false,
    exportedAt: DateTime.formatIso(yield* DateTime.now)
  })
  const data = yield* Effect.mapError(ExportData.gather(model, fs), ({ detail }) => usage(detail))
  yield* Effect.mapError(
    Effect.andThen(Folder.make(dirname(file)), AtomicFile.write(file, ExportFile.render(data, bundle))),
    usageOf("The page cannot be written")
  )
  const { write } = yield* terminal
  yield* write(`page     ${file}\n`)
})
