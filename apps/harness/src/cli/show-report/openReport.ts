import * as AtomicFile from "@webagent/cli/AtomicFile"
import { usage, usageOf } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as ExportFile from "../../page/ExportFile.ts"
import * as HtmlReporter from "../../page/HtmlReporter.ts"
import * as Screens from "../../page/Screens.ts"
import * as NewestReport from "../reports/NewestReport.ts"
import { terminal, variable } from "@webagent/cli/Terminal"

/** The command that opens an address here; undefined where there is no display, or no person. */
const opener = Effect.fnUntraced(function* (live: boolean) {
  if (!live) return undefined
  if (process.platform === "darwin") return ["open"] as const
  if (process.platform === "win32") return ["cmd", "/c", "start", ""] as const
  const display = (yield* variable("DISPLAY")) ?? (yield* variable("WAYLAND_DISPLAY"))
  return display === undefined ? undefined : (["xdg-open"] as const)
})

/** Builds the screens into a page that a clone has written without them. */
const complete = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const page = yield* Effect.orElseSucceed(fs.readFileString(path), () => "")
  if (!ExportFile.isUnbuilt(page)) return
  yield* Screens.build
  const bundle = (yield* Screens.bundle) ?? (yield* usage(Screens.unbuiltSentence))
  yield* Effect.mapError(
    AtomicFile.write(path, ExportFile.complete(page, bundle)),
    usageOf("The page cannot be written")
  )
})

/** Prints the address of a run's page, and opens it where there is a display. */
export const openReport = Effect.fnUntraced(function* (run: string | undefined) {
  const path = yield* NewestReport.find(run, HtmlReporter.fileName)
  yield* complete(path)
  const address = pathToFileURL(resolve(path)).href
  const { live, write } = yield* terminal
  yield* write(`${address}\n`)
  const command = yield* opener(live)
  if (command === undefined) return
  const spawner = yield* ChildProcessSpawner
  const [program, ...args] = command
  // the address is printed: a browser that does not start is no failure
  yield* spawner
    .exitCode(ChildProcess.make(program, [...args, address], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }))
    .pipe(Effect.timeout("10 seconds"), Effect.ignore)
})
