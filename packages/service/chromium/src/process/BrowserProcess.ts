import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Binary } from "../binary/Binary.ts"
import type { DevTools } from "../cdp/DevTools.ts"
import { type Network, networkOf } from "../sandbox/keeper.ts"
import { Sandbox, type SandboxedCommand, type SandboxError } from "../sandbox/Sandbox.ts"
import * as flags from "./flags.ts"
import { putBehind } from "../sandbox/Priority.ts"
import { isRunning, runningIn, startOf } from "./ProcessTree.ts"

/** The browser did not start. The message says why. */
export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly message: string }> {}

/** Whom a browser runs as. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** Options for starting a browser. */
export interface StartOptions {
  readonly binary: Binary
  /** A folder of the server's: the browser's own is made in it. */
  readonly runtime: string
  /** The browser's name in that folder; unique. */
  readonly name: string
  readonly proxyCountryCode?: string | null
  /** The languages that it announces to pages, the preferred one first; `en-US` and `en` unless given. */
  readonly languages?: ReadonlyArray<string>
  /** Size of its window; null, the default, for the usual one. */
  readonly screen?: { readonly width: number; readonly height: number } | null
  /** Time zone of its pages; null, the default, for that of the server. */
  readonly timeZone?: string | null
  /** The user agent that it announces; null, the default, for that of a Chrome with a window. */
  readonly userAgent?: string | null
  /** Whom a server that is root starts it as: uid and gid 65534 unless given. */
  readonly user?: User
  /** Chromium's own sandbox around each page; on unless it is switched off, for machines where it cannot be. */
  readonly chromiumSandbox?: boolean
  /** Maximum number of processes and threads, if its sandbox counts them; 2048 by default. */
  readonly tasks?: number
  /** Time limit until DevTools can be reached; a minute by default. */
  readonly within?: Duration.Input
  /** Writes files of this user into its profile, a path that doesn't exist yet, before it starts. */
  readonly prepare?: (profile: string, user: User | undefined) => Effect.Effect<void, StartFailed>
}

/** Exit of a process. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  /** The end of what it said on standard error. */
  readonly said: string
}

/** One process tree with a folder of its own. It goes with the scope that it was started in: processes, then folder. */
export interface BrowserProcess {
  readonly pid: number
  readonly devTools: DevTools
  /** Number of bytes sent and received; null if it is not counted. */
  readonly bytes: Effect.Effect<number | null>
  /** Restricts what it may reach to these domains, from now on; null for all. */
  readonly allow: SandboxedCommand["allow"]
  /** Waits for it to end, by itself or with its scope. */
  readonly exited: Effect.Effect<Exit>
}

const unprivileged: User = { uid: 65_534, gid: 65_534 }

/** Chromium refuses its own sandbox to root, so root starts it as another user. */
const userOf = ({ user }: StartOptions): User | undefined =>
  process.getuid?.() === 0 ? (user ?? unprivileged) : undefined

/** Children may still write into a folder that is deleted. */
const remove = (path: string) =>
  Effect.tryPromise(() => rm(path, { recursive: true, force: true })).pipe(
    Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 250 }),
    Effect.ignore
  )

const folderOf = (options: StartOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = join(options.runtime, options.name)
      mkdirSync(folder, { mode: 0o700 })
      return folder
    }),
    remove
  )

/** Kills a process group; false when there is none. */
export const killGroup = (pid: number): boolean => {
  try {
    return process.kill(-pid, "SIGKILL")
  } catch {
    return false
  }
}

/** The server's own record of a process, outside of the folder that the browser can write. */
const recordOf = ({ name, runtime }: StartOptions) => join(runtime, `${name}.pid`)

/** Number of characters of standard error that are stored to explain its exit. */
const said_length = 4096

interface Child {
  readonly process: ChildProcess
  readonly pid: number
  readonly exited: Deferred.Deferred<Exit>
  /** The address that it says on standard error. */
  readonly listening: Deferred.Deferred<string>
  /** Its own network; null where it has the server's. */
  readonly network: Network | null
}

const spawned = (options: StartOptions, { args, env, executable, serve }: SandboxedCommand, cwd: string) =>
  Effect.callback<Child, StartFailed>((resume) => {
    const exited = Deferred.makeUnsafe<Exit>()
    const listening = Deferred.makeUnsafe<string>()
    // a group of its own: a Ctrl-C in the server's terminal is not the browser's, and the tree is killed as one
    const child = spawn(executable, args, {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", serve === null ? "ignore" : "ipc"],
      ...userOf(options)
    })
    if (child.pid !== undefined) putBehind(child.pid)
    const network = serve === null ? null : networkOf(child)
    let output = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-said_length)
      const [, address] = /^DevTools listening on (ws:\S+)$/mu.exec(output) ?? []
      if (address !== undefined) Deferred.doneUnsafe(listening, Effect.succeed(address))
    })
    // both are there for Chromium to notice when they close
    for (const pipe of [child.stdio[3], child.stdio[4]]) pipe?.on("error", () => undefined)
    child.once("error", (error) => resume(Effect.fail(new StartFailed({ message: `${executable}: ${error.message}` }))))
    child.once("exit", (code, signal) => {
      if (child.pid !== undefined) killGroup(child.pid)
      Deferred.doneUnsafe(exited, Effect.succeed({ code, signal, said: output }))
    })
    child.once("spawn", () => {
      const pid = child.pid ?? 0
      try {
        writeFileSync(recordOf(options), `${pid} ${startOf(pid) ?? ""}`)
      } catch (error) {
        // a full disk, for instance: without its record a browser is not found after a crash of the server
        killGroup(pid)
        return resume(Effect.fail(new StartFailed({ message: `Cannot record a browser: ${String(error)}.` })))
      }
      resume(Effect.succeed({ process: child, pid, exited, listening, network }))
    })
  })

/** Waits while something is so, with this many looks at the most. */
const waitWhile = (isSo: () => boolean, times: number) =>
  Effect.repeat(Effect.sync(isSo), { schedule: Schedule.spaced("5 millis"), while: (yes) => yes, times })

/** Waits until nothing of a group runs; a process that the kernel holds back is waited for 5 seconds at most. */
const groupGone = Effect.fnUntraced(function* (pid: number) {
  yield* waitWhile(() => killGroup(pid), 10)
  // some may have ended with no parent that asks for them: they stay in the group. All of /proc tells which
  const left = killGroup(pid) && process.platform === "linux" ? runningIn(pid) : null
  // what is killed starts nothing more
  yield* waitWhile(() => (left === null ? killGroup(pid) : left.some(isRunning)), 1000)
})

const end = (options: StartOptions) => (child: Child) =>
  Effect.gen(function* () {
    killGroup(child.pid)
    yield* Deferred.await(child.exited)
    yield* groupGone(child.pid)
    for (const pipe of child.process.stdio) pipe?.destroy()
    rmSync(recordOf(options), { force: true })
  })

/** Exit code or signal, and the last line of a process's standard error, for a sentence. */
const lastWords = ({ code, said, signal }: Exit) => {
  const words = said
    .split("\n")
    .map((line) => line.replace(/^\[[^\]]*\]\s*/u, "").trim())
    .filter((line) => line !== "")
    .at(-1)
  return `${signal ?? `exit ${code}`}${words === undefined ? "" : `, ${words}`}`
}

/** Starts a browser, and waits until DevTools can be reached. */
export const start = Effect.fnUntraced(function* (
  options: StartOptions
): Effect.fn.Return<BrowserProcess, StartFailed | SandboxError, Sandbox | Scope.Scope> {
  const { binary, chromiumSandbox = true, proxyCountryCode = null, tasks = 2048, within = "60 seconds" } = options
  const { languages = flags.usualLanguages, screen = null, timeZone = null, userAgent = null } = options
  const sandbox = yield* Sandbox
  const folder = yield* folderOf(options)
  const user = userOf(options)
  if (options.prepare !== undefined) yield* options.prepare(join(folder, "profile"), user)
  // only now: nothing else can reach the folder while it is prepared
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const command = yield* sandbox.enter({
    executable: binary.executable,
    args: flags.args(join(folder, "profile"), chromiumSandbox, {
      languages,
      screen,
      userAgent,
      version: binary.version
    }),
    // nothing of the server's own environment: it may hold secrets
    env: {
      ...binary.env,
      DBUS_SESSION_BUS_ADDRESS: "/dev/null",
      HOME: folder,
      LANG: "C.UTF-8",
      PATH: "/usr/bin:/bin",
      // relative: Chromium makes a socket in it, whose path would be too long in many folders
      TMPDIR: ".",
      ...(timeZone === null ? {} : { TZ: timeZone }),
      XDG_CACHE_HOME: folder,
      XDG_CONFIG_HOME: folder
    },
    folder,
    proxyCountryCode,
    tasks
  })
  const child = yield* Effect.acquireRelease(spawned(options, command, folder), end(options))
  const died = Effect.flatMap(Deferred.await(child.exited), (exit) =>
    Effect.fail(new StartFailed({ message: `Chromium ended while it started: ${lastWords(exit)}.` }))
  )
  const { network } = child
  const served =
    network === null || command.serve === null ? Effect.void : Effect.flatMap(network.listener, command.serve)
  const listening = Effect.andThen(served, Deferred.await(child.listening))
  const firstOutput = yield* Effect.timeoutOption(Effect.raceFirst(listening, died), within)
  if (Option.isNone(firstOutput)) {
    return yield* new StartFailed({
      message: `Chromium did not start within ${Duration.format(Duration.fromInputUnsafe(within))}.`
    })
  }
  return {
    pid: child.pid,
    devTools: { address: firstOutput.value, connect: network?.connect ?? null },
    bytes: command.bytes,
    allow: command.allow,
    exited: Deferred.await(child.exited)
  }
})
