import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { missing, usage } from "@webagent/cli/UserError"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as Workspace from "./Workspace.ts"
import * as Process from "./Process.ts"

/** A k6 that runs here. */
export interface K6 {
  readonly path: string
  readonly version: string
  /** Has the extension of the repository's own k6, which runs TypeScript with imports. */
  readonly readsTypeScript: boolean
}

/** The version of our k6, for which the load tests are written. */
export const pinned = "2.2.0"

/** Tells whether a load test builds k6 with Go, as it does in a checkout of the repository. */
export const isBuiltHere = Workspace.isCheckout

const packageName = "@webagent/k6"

/**
 * Finds the k6 of the npm package `@webagent/k6` in a project.
 *
 * @param folder - The folder of the project.
 * @returns The path of the k6. Undefined if the package isn't installed.
 * @example
 * ```ts
 * import { installed } from "@webagent/load/K6"
 *
 * export const program = installed(process.cwd())
 * ```
 */
export const installed = Effect.fnUntraced(function* (folder: string) {
  const resolved = yield* Effect.option(
    Effect.try(() => createRequire(join(folder, "package.json")).resolve(packageName))
  )
  if (Option.isNone(resolved)) return undefined
  const load = Effect.tryPromise(() => import(pathToFileURL(resolved.value).href))
  const module: { readonly path?: () => string | undefined } = yield* Effect.orElseSucceed(load, () => ({}))
  return module.path?.()
})

/**
 * Runs a program for up to 10 seconds to get its version.
 *
 * @param path - The path of the program, or its name on the PATH.
 * @returns The k6 with its version. Undefined if the program isn't k6 or doesn't run.
 * @example
 * ```ts
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { inspect, pinned } from "@webagent/load/K6"
 * import * as Effect from "effect/Effect"
 *
 * export const isTested = inspect("k6").pipe(
 *   Effect.map((k6) => k6?.version === pinned),
 *   Effect.provide(NodeServices.layer)
 * )
 * ```
 */
export const inspect = Effect.fnUntraced(function* (path: string) {
  const spawner = yield* ChildProcessSpawner
  const text = yield* spawner.string(ChildProcess.make(path, ["version"], { stdin: "ignore" })).pipe(
    Effect.timeout("10 seconds"),
    Effect.orElseSucceed(() => "")
  )
  const version = /^k6(?:\.exe)? v(\S+)/u.exec(text)?.[1]
  return version === undefined ? undefined : { path, version, readsTypeScript: text.includes("/xk6-ts ") }
})

/** Returns the path of our k6, which is built if necessary, or the reason why it can't be built. */
const build = Effect.fnUntraced(
  function* (say: (line: string) => Effect.Effect<void>) {
    const handle = yield* Process.start(
      ChildProcess.make(process.execPath, [Workspace.buildK6], { stdin: "ignore", forceKillAfter: "10 seconds" })
    )
    const reasons: Array<string> = []
    const onLine = (line: string) =>
      /^buil(?:ding|t) k6 /u.test(line) ? say(line) : Effect.sync(() => void reasons.push(line))
    const [output, , code] = yield* Effect.all(
      [
        Stream.runCollect(Process.lines(handle.stdout)),
        Stream.runForEach(Process.lines(handle.stderr), onLine),
        handle.exitCode
      ],
      { concurrency: "unbounded" }
    )
    const path = output.findLast((line) => line !== "")
    return code === 0 && path !== undefined ? { path } : { path: undefined, why: reasons.join("\n") }
  },
  Effect.scoped,
  Effect.catch((error) => Effect.succeed({ path: undefined, why: `${describePlatformError(error)}.` }))
)

/**
 * Finds a k6: the one that WEBAGENT_K6 names, otherwise the one of the package `@webagent/k6` in the user's project,
 * otherwise ours, built once in a checkout, otherwise one on the PATH.
 *
 * @param named - The value of WEBAGENT_K6.
 * @param say - Receives lines about the progress of a build.
 * @param folder - The folder of the user's project.
 * @returns The k6.
 * @throws `UserError` if WEBAGENT_K6 isn't the path of a k6, or if there is no k6.
 * @example
 * ```ts
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { find } from "@webagent/load/K6"
 * import * as Console from "effect/Console"
 * import * as Effect from "effect/Effect"
 *
 * export const program = find(process.env["WEBAGENT_K6"], Console.log).pipe(Effect.provide(NodeServices.layer))
 * ```
 */
export const find = Effect.fnUntraced(function* (
  named: string | undefined,
  say: (line: string) => Effect.Effect<void>,
  folder: string = process.cwd()
) {
  if (named !== undefined) {
    const k6 = yield* inspect(named)
    if (k6 !== undefined) return k6
    return yield* usage(`${named} is not k6. Set WEBAGENT_K6 to the path of a k6, or unset it.`)
  }
  const path = yield* installed(folder)
  const packaged = path === undefined ? undefined : yield* inspect(path)
  if (packaged !== undefined) return packaged
  const built = isBuiltHere ? yield* build(say) : undefined
  const k6 = yield* inspect(built?.path ?? "k6")
  if (k6 !== undefined) return k6
  return yield* missing(
    built === undefined
      ? `No k6 is installed. Run "npm install --save-dev ${packageName}", or set WEBAGENT_K6 to the path of a k6.`
      : `No k6: WEBAGENT_K6 is not set, and ours cannot be built. ${built.why ?? `${built.path} does not run.`} ` +
          `Without Go, run "npm install --global ${packageName}".`
  )
})
