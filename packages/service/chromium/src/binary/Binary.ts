import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { execFile } from "node:child_process"
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { cacheFolders, locate, type Resolve, unpack } from "./unpack.ts"

/** Which program to look for. */
export type Engine = "headless-shell" | "chromium"

/** A Chromium that runs on this machine. */
export interface Binary {
  /** The program itself: a script around it would be killed in its place, and leave the browser. */
  readonly executable: string
  /** Additional environment variables of the program, beyond those that every browser gets. */
  readonly env: Readonly<Record<string, string>>
  /** Its own version text, such as `Chromium 153.0.8010.0`. */
  readonly version: string
  /** Source of the program. */
  readonly source: "named" | "installed" | "packaged"
}

/** No Chromium can be had here. The message says what to do. */
export class BinaryNotFound extends Data.TaggedError("BinaryNotFound")<{ readonly message: string }> {}

/** Options for finding a browser. */
export interface FindOptions {
  /** The program; `WEBAGENT_CHROMIUM` names it otherwise. */
  readonly executable?: string
  /** `headless-shell`, which starts faster and takes less memory, unless given. */
  readonly engine?: Engine
  /** The server's data folder, for unpacking the packaged browser where its usual folder can't be written. */
  readonly data?: string
  /** Resolves `@sparticuz/chromium` for the program that depends on it; resolved from this package unless given. */
  readonly resolve?: Resolve
}

/** Directories in which systems install the program; their `/usr/bin` contains wrapper scripts. */
const installed: Readonly<Record<Engine, ReadonlyArray<string>>> = {
  "headless-shell": ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/headless_shell"],
  chromium: [
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome"
  ]
}

const packages = { "headless-shell": "chromium-headless-shell", chromium: "chromium" }

const isScript = (file: string): boolean => {
  const head = Buffer.alloc(2)
  const descriptor = openSync(file, "r")
  try {
    readSync(descriptor, head)
  } finally {
    closeSync(descriptor)
  }
  return head.toString("latin1") === "#!"
}

const refuse = (message: string) => new BinaryNotFound({ message })

/** A program that was just unpacked, on a busy machine, is read from the disk first. */
const timeout_ms = 30_000

/** Version text that the program prints; fails if it does not run. */
const versionOf = (executable: string, env: Binary["env"]) =>
  Effect.callback<string, Error>((resume) => {
    const child = execFile(executable, ["--version"], { env, timeout: timeout_ms }, (error, stdout) =>
      resume(error === null ? Effect.succeed(stdout.trim()) : Effect.fail(error))
    )
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

const firstLine = (error: Error) => {
  const lines = error.message.split("\n").map((line) => line.trim())
  return lines.find((line) => line !== "" && !line.startsWith("Command failed")) ?? error.message
}

const named = Effect.fnUntraced(function* (executable: string) {
  if (!existsSync(executable)) return yield* refuse(`${executable} does not exist. Check WEBAGENT_CHROMIUM.`)
  if (!statSync(executable).isFile()) return yield* refuse(`${executable} is not a program. Check WEBAGENT_CHROMIUM.`)
  if (isScript(executable)) {
    return yield* refuse(
      `${executable} is a script around Chromium. Name the program itself, such as ${installed.chromium[0]}.`
    )
  }
  const version = yield* Effect.mapError(versionOf(executable, {}), (error) =>
    refuse(`${executable} does not run: ${firstLine(error)}. Install its dependencies, or name another.`)
  )
  return { executable, env: {}, version, source: "named" } satisfies Binary
})

const unpackedIn = Effect.fnUntraced(function* (cache: string, entry?: string) {
  const unpacked = yield* Effect.tryPromise({
    try: () => unpack(cache, entry),
    catch: (error) => refuse(`${cache} (${error instanceof Error ? firstLine(error) : error})`)
  })
  if (unpacked === undefined) return undefined
  const { executable, libraries } = unpacked
  const run = (env: Binary["env"]) =>
    Effect.map(versionOf(executable, env), (version): Binary => ({ executable, env, version, source: "packaged" }))
  // a machine with NSS of its own uses that: it is the one that gets security fixes
  return yield* run({}).pipe(
    Effect.catch(() => run({ LD_LIBRARY_PATH: libraries })),
    Effect.mapError((error) => refuse(`${executable} (does not run: ${firstLine(error)})`))
  )
})

/** The browser of the npm package, unpacked into the first folder in which that works; undefined without the package. */
export const packaged = Effect.fnUntraced(function* (caches: ReadonlyArray<string> = cacheFolders(), entry?: string) {
  const reasons: Array<string> = []
  for (const cache of caches) {
    const binary = yield* Effect.result(unpackedIn(cache, entry))
    if (Result.isSuccess(binary)) return binary.success
    reasons.push(binary.failure.message)
  }
  return yield* refuse(
    `Cannot unpack Chromium into ${reasons.join(" or ")}. Make one of them writable, or set TMPDIR to a folder with 300 MB of space.`
  )
})

/**
 * The Chromium to use: the one that is named, else one that the system has, else the one of the npm package
 * `@sparticuz/chromium` (Linux on x64, headless shell only).
 */
export const find = Effect.fnUntraced(function* ({
  data,
  engine = "headless-shell",
  executable,
  resolve
}: FindOptions = {}) {
  const chosen =
    executable ?? Option.getOrUndefined(yield* Effect.orDie(Config.option(Config.NonEmptyString("WEBAGENT_CHROMIUM"))))
  if (chosen !== undefined) return yield* named(chosen)
  for (const path of installed[engine]) {
    if (!existsSync(path)) continue
    const version = yield* Effect.option(versionOf(path, {}))
    if (Option.isSome(version)) {
      return { executable: path, env: {}, version: version.value, source: "installed" } satisfies Binary
    }
  }
  const isPackaged = engine === "headless-shell" && process.platform === "linux" && process.arch === "x64"
  const packagedBinary = isPackaged ? yield* packaged(cacheFolders(data), locate(resolve)) : undefined
  if (packagedBinary !== undefined) return packagedBinary
  const install = isPackaged ? `${packages[engine]} or the npm package @sparticuz/chromium` : packages[engine]
  return yield* refuse(`No Chromium is installed. Install ${install}, or name one with WEBAGENT_CHROMIUM.`)
})
