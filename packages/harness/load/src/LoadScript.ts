import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { missing } from "@webagent/cli/UserError"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as Workspace from "./Workspace.ts"
import * as Process from "./Process.ts"
import type { K6 } from "./K6.ts"

/** Bundles for a k6 that does not resolve imports; the folder is removed with the scope. */
const bundle = Effect.fnUntraced(
  function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "webagent-load-" })
    const handle = yield* Process.start(
      ChildProcess.make(process.execPath, [Workspace.bundle, folder], { stdin: "ignore", stdout: "ignore" })
    )
    const stderr = yield* Stream.mkString(Stream.decodeText(handle.stderr))
    if ((yield* handle.exitCode) === 0) return join(folder, "load.js")
    return yield* missing(stderr.trim())
  },
  Effect.catchTag("PlatformError", (error) =>
    Effect.fail(missing(`Cannot bundle the load test: ${describePlatformError(error)}.`))
  )
)

/**
 * Returns the script of the load tests for a k6: TypeScript for ours, otherwise a bundle, which a package contains.
 *
 * @param k6 - The k6 that runs the script, as `K6.find` returns it.
 * @returns The path of the script. A bundle is removed when the scope closes.
 * @throws `UserError` if the script can't be bundled.
 * @example
 * ```ts
 * import * as K6 from "@webagent/load/K6"
 * import { resolve } from "@webagent/load/LoadScript"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 *
 * export const script = Effect.flatMap(K6.find(undefined, Console.log), resolve)
 * ```
 */
export const resolve = (k6: K6) => {
  if (!Workspace.isCheckout) return Effect.succeed(Workspace.bundledScript)
  return k6.readsTypeScript ? Effect.succeed(Workspace.script) : bundle()
}
