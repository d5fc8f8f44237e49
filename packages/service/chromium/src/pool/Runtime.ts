import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { killGroup } from "../process/BrowserProcess.ts"
import { startOf } from "../process/ProcessTree.ts"

/** The folder for browsers cannot be used. The message says what to do. */
export class RuntimeUnusable extends Data.TaggedError("RuntimeUnusable")<{ readonly message: string }> {}

/** Parent folder of the folders of all servers of this user. */
const defaultRoot = () => join(tmpdir(), `webagent-browsers-${process.getuid?.() ?? "user"}`)

/** Browsers run as another user where the server is root, and reach their own folder through these, whatever the umask. */
const makePassable = (folder: string) => {
  if (mkdirSync(folder, { recursive: true, mode: 0o711 }) !== undefined) chmodSync(folder, 0o711)
}

/** Another user could put records of processes there, for this server to kill. */
const own = (root: string) =>
  Effect.try({
    try: () => {
      makePassable(root)
      const stats = lstatSync(root)
      return stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0
    },
    catch: (error) =>
      new RuntimeUnusable({ message: `Cannot make ${root}: ${String(error)}. Set TMPDIR to a folder for browsers.` })
  }).pipe(
    Effect.filterOrFail(
      (isOwn) => isOwn,
      () => new RuntimeUnusable({ message: `Other users can write ${root}. Delete it, or set TMPDIR.` })
    )
  )

/** True if a process with this start time is running. The start time matters because pids are reused. */
const isAlive = (pid: number, start: string | undefined) => start !== undefined && startOf(pid) === start

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })

/** Ends what a server left that was killed: its browsers that still run, then its folder. */
const sweep = (folder: string) => {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(".pid")) continue
    const [pid, start] = readFileSync(join(folder, name), "utf8").split(" ")
    if (isAlive(Number(pid), start)) killGroup(Number(pid))
  }
  remove(folder)
}

/** Ends what servers left that do not run any more. */
const sweepAll = (root: string) =>
  Effect.sync(() => {
    for (const name of readdirSync(root)) {
      const [pid, start] = name.split("-")
      if (!isAlive(Number(pid), start)) sweep(join(root, name))
    }
  })

/**
 * Removes the folder once this process is gone: standard input ends then, also after a kill. Browsers end by themselves
 * when their server does, and may write until then.
 */
const script =
  'cat >/dev/null; for i in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$0" 2>/dev/null; [ -e "$0" ] || exit; sleep 0.2; done'

const remover = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/bin/sh", ["-c", script, folder], {
        detached: true,
        env: { PATH: "/usr/bin:/bin" },
        stdio: ["pipe", "ignore", "ignore"]
      })
      // without it the folder stays until the next start
      child.on("error", () => undefined)
      child.stdin.on("error", () => undefined)
      child.unref()
      return child
    }),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.pid === undefined || child.exitCode !== null) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        killGroup(child.pid)
      })
  )

/** The folder for the browsers of this process, until the scope closes. What earlier servers left is removed first. */
export const make = Effect.fnUntraced(function* (
  root: string = defaultRoot()
): Effect.fn.Return<string, RuntimeUnusable, Scope.Scope> {
  yield* own(root)
  yield* sweepAll(root)
  // one process may have several pools
  const folder = join(root, `${process.pid}-${startOf(process.pid) ?? ""}-${randomUUID().slice(0, 8)}`)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      makePassable(folder)
      // an exit that does not wait for the scope leaves no browser either
      const kill = () => sweep(folder)
      process.once("exit", kill)
      return kill
    }),
    (kill) =>
      Effect.sync(() => {
        process.off("exit", kill)
        remove(folder)
      })
  )
  yield* remover(folder)
  return folder
})
