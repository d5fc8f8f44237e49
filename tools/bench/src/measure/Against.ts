/** The server of another commit, for benches that compare with it or run next to it. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleServer } from "./Bundle.ts"
import { Mistake } from "./Mistake.ts"

/** Root folder of this repository. */
export const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** A bundled server of a commit. */
export interface Against {
  /** Short hash of the commit. */
  readonly commit: string
  readonly file: string
}

const git = (...args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" })
  if (error !== undefined) throw new Mistake(`git could not be started (${error.message}): install git.`)
  if (status !== 0) throw new Mistake(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}

const commitOf = (ref: string) => {
  try {
    return git("rev-parse", "--short=12", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`)
  } catch {
    throw new Mistake(`--against takes a commit, a tag or a branch, and git knows no "${ref}".`)
  }
}

/**
 * Bundles programs of a commit, once: in a worktree of its own, with the dependencies of its own lockfile. Returns the
 * folder of the bundles. Throws a `Mistake` if there is no such commit, or if it can't be installed.
 */
export const bundledAt = async (
  ref: string,
  kind: string,
  scope: "server" | "all",
  bundleInto: (folder: string, source: string) => Promise<unknown>,
  log: (line: string) => void
): Promise<{ readonly commit: string; readonly folder: string }> => {
  const commit = commitOf(ref)
  const folder = join(root, "node_modules", ".cache", "webagent-bench", `${kind}-${commit}`)
  const complete = join(folder, ".complete")
  if (existsSync(complete)) return { commit, folder }
  log(`building the ${kind} of ${commit} once (about a minute) ...`)
  const scratch = mkdtempSync(join(tmpdir(), "webagent-against-"))
  const source = join(scratch, "source")
  try {
    git("worktree", "add", "--detach", source, commit)
    const install = spawnSync(process.execPath, [join(source, "tools", "workspace", "install.mjs"), scope], {
      encoding: "utf8"
    })
    if (install.status !== 0) throw new Mistake(`${commit} could not be installed: ${install.stderr.trim()}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await bundleInto(folder, source)
    writeFileSync(complete, "")
    return { commit, folder }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
    git("worktree", "prune")
  }
}

/** Bundles the server of a commit, once. */
export const serverOf = async (ref: string, log: (line: string) => void): Promise<Against> => {
  const { commit, folder } = await bundledAt(
    ref,
    "server",
    "server",
    (into, source) => bundleServer(into, join(source, "apps", "server", "src", "main.ts")),
    log
  )
  return { commit, file: join(folder, "server.mjs") }
}

/**
 * The arguments of a server with simulated browsers and agents, which prints no requests. Versions before 2026-11-24 have
 * no commands, and print none.
 */
export const commandOf = (server: string, command: "serve" | "simulate"): ReadonlyArray<string> => {
  const { stdout } = spawnSync(process.execPath, [server, "--help"], { encoding: "utf8" })
  if (!/^\s+simulate\s/mu.test(stdout)) return [server, "--browsers", "simulated"]
  return command === "simulate" ? [server, command, "--quiet"] : [server, command]
}
