import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { missing } from "@webagent/report/UserError"
import { describePlatformError } from "@webagent/report/PlatformErrorText"
import * as Checkout from "./Checkout.ts"
import * as Child from "./Child.ts"
import type { K6 } from "./K6.ts"

/** Bundles for a k6 that does not resolve imports; the folder is removed with the scope. */
const bundle = Effect.fnUntraced(
  function* (test: string) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped({ prefix: "webagent-load-" })
    const handle = yield* Child.start(
      ChildProcess.make(process.execPath, [Checkout.bundle, folder, test], { stdin: "ignore", stdout: "ignore" })
    )
    const said = yield* Stream.mkString(Stream.decodeText(handle.stderr))
    if ((yield* handle.exitCode) === 0) return join(folder, `${test}.load.js`)
    return yield* missing(said.trim())
  },
  Effect.catchTag("PlatformError", (error) =>
    Effect.fail(missing(`The load test was not bundled: ${describePlatformError(error)}.`))
  )
)

/** The script of a load test as this k6 takes it: TypeScript for ours, else a bundle, which a package brings along. */
export const resolve = (test: string, k6: K6) => {
  if (!Checkout.isCheckout) return Effect.succeed(Checkout.packedScriptOf(test))
  return k6.readsTypeScript ? Effect.succeed(Checkout.scriptOf(test)) : bundle(test)
}
