import { usage } from "@webagent/cli/UserError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

// this module's sources are used in a clone, whose console app builds the screens; packages have them built
const isClone = import.meta.url.endsWith(".ts")

const folderOf = (inClone: string, inPackage: string) =>
  fileURLToPath(new URL(isClone ? `../../../console/${inClone}/` : `../${inPackage}/`, import.meta.url))

/** The folder of the screens that `ui` serves. */
export const served = folderOf("dist-harness", "web")

/** The folder of the screens as one classic script and one style sheet: `export.js` and `export.css`. */
export const exported = folderOf("dist-export", "export")

/** Advice for a clone without built screens. */
export const unbuiltSentence = "The screens are not built. Run npm run screens in the repository to build them."

/** The screens as one script and one style sheet. */
export interface Bundle {
  readonly script: string
  readonly style: string
}

const tool = (name: string) => fileURLToPath(new URL(`../../../../tools/workspace/${name}`, import.meta.url))

/** True if the screens were built from these sources. */
const isFresh = Effect.promise(async () => {
  if (!isClone) return true
  const { hasReports }: { readonly hasReports: () => boolean } = await import(pathToFileURL(tool("console.mjs")).href)
  return hasReports()
})

/** Reads the screens of a page that is one file; undefined in a clone that hasn't built them from its sources. */
export const bundle: Effect.Effect<Bundle | undefined, never, FileSystem.FileSystem> = FileSystem.FileSystem.use(
  (fs) => {
    const read = (name: string) => fs.readFileString(join(exported, name))
    const files = Effect.orElseSucceed(
      Effect.all({ script: read("export.js"), style: read("export.css") }),
      () => undefined
    )
    return Effect.flatMap(isFresh, (fresh) => (fresh ? files : Effect.succeed(undefined)))
  }
)

/**
 * Builds the screens of a clone unless they are up to date. The build tools print their progress on standard error. A
 * package contains built screens, so this has no effect there.
 */
export const build: Effect.Effect<void, ReturnType<typeof usage>, ChildProcessSpawner> = Effect.gen(function* () {
  if (!isClone) return
  const spawner = yield* ChildProcessSpawner
  const steps = [
    [tool("install.mjs"), "console"],
    [tool("console.mjs"), "build", "harness"]
  ]
  for (const args of steps) {
    const code = yield* Effect.orElseSucceed(
      spawner.exitCode(
        ChildProcess.make(process.execPath, args, { stdin: "ignore", stdout: "ignore", stderr: "inherit" })
      ),
      () => 1
    )
    // the tool has said why
    if (Number(code) !== 0) return yield* usage(unbuiltSentence)
  }
})
