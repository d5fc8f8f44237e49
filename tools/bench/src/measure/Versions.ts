/** This version of our programs and the commit of `--against`, for benches that measure both. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { Mistake } from "./Mistake.ts"
import type { Options } from "./Report.ts"
import { root } from "./Root.ts"

/** A version of our programs. */
export interface Version {
  /** Short hash of its commit; null for this version. */
  readonly commit: string | null
  /** Folder of its bundles. */
  readonly folder: string
}

/** A version of a commit. */
interface Earlier extends Version {
  readonly commit: string
}

/** Something of this version, followed by the same of the one of `--against` if there is one. */
export type Pair<A, B = A> = readonly [now: A, ...before: ReadonlyArray<B>]

/** Makes the same of both. */
export const both = <A, B>([now, ...before]: Pair<A>, make: (each: A) => B): Pair<B> => [make(now), ...before.map(make)]

/** The order of a round: every other one is the opposite way, so that none is always measured after the same other one. */
export const inTurns = <A>(all: ReadonlyArray<A>, round: number): ReadonlyArray<A> =>
  round % 2 === 0 ? all : all.toReversed()

/** Makes the same of both, one after the other. */
export const inOrder = async <A, B>([now, ...before]: Pair<A>, make: (each: A) => Promise<B>): Promise<Pair<B>> => {
  const first = await make(now)
  const others: Array<B> = []
  for (const each of before) others.push(await make(each))
  return [first, ...others]
}

/** Opens something for each version, and closes it when both have been used. */
export const withBoth = async <A, B, C>(
  pair: Pair<A>,
  open: (each: A) => Promise<B>,
  close: (opened: B) => Promise<unknown>,
  use: (all: Pair<B>) => Promise<C>
): Promise<C> => {
  const all: Array<B> = []
  const openOne = async (each: A) => {
    const opened = await open(each)
    all.push(opened)
    return opened
  }
  try {
    return await use(await inOrder(pair, openOne))
  } finally {
    for (const each of all) await close(each)
  }
}

/** The part of a report that names the other version. */
export interface Against {
  /** Short hash of the commit of `--against`; null if this version was measured alone. */
  readonly against: string | null
}

/** Bundles programs into a folder, from the source of a version. */
type Bundle = (folder: string, source: string) => Promise<unknown>

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

/** Runs what another version may not be able to do, as benches have it today: its failure is a `Mistake`. */
export const comparable = async <A>({ commit }: Pick<Version, "commit">, act: () => Promise<A>): Promise<A> => {
  try {
    return await act()
  } catch (error) {
    if (commit === null) throw error
    const message = stripVTControlCharacters(error instanceof Error ? error.message : String(error))
    // a bundler counts its errors first
    const lines = message.split("\n").filter((line) => !/^\s*$|error:$|errors:$/u.test(line))
    throw new Mistake(`This bench can't compare with ${commit}: ${lines[0]?.trim()}`)
  }
}

/** Changes with the code of the benches, because bundles contain some of it. */
const benchHash = () => {
  const hash = createHash("sha256")
  const folder = join(root, "tools", "bench", "src")
  for (const file of globSync("**/*.ts", { cwd: folder }).toSorted()) hash.update(readFileSync(join(folder, file)))
  return hash.digest("hex")
}

/**
 * Bundles programs of a commit, once: in a worktree of its own, with the dependencies of its own lockfile. Throws a
 * `Mistake` if there is no such commit, or if it can't be installed or bundled.
 */
export const bundledAt = async (
  ref: string,
  kind: string,
  bundleInto: Bundle,
  log: Options["log"]
): Promise<Earlier> => {
  const commit = commitOf(ref)
  const folder = join(root, "node_modules", ".cache", "webagent-bench", `${kind}-${commit}`)
  const complete = join(folder, ".complete")
  if (existsSync(complete) && readFileSync(complete, "utf8") === benchHash()) return { commit, folder }
  log(`building the ${kind} of ${commit} once (about a minute) ...`)
  const scratch = mkdtempSync(join(tmpdir(), "webagent-against-"))
  const source = join(scratch, "source")
  try {
    git("worktree", "add", "--detach", source, commit)
    const install = spawnSync(process.execPath, [join(source, "tools", "workspace", "install.mjs"), "all"], {
      encoding: "utf8"
    })
    if (install.status !== 0) throw new Mistake(`${commit} could not be installed: ${install.stderr.trim()}`)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await comparable({ commit }, () => bundleInto(folder, source))
    writeFileSync(complete, benchHash())
    return { commit, folder }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
    git("worktree", "prune")
  }
}

/** Bundles programs of this version, in a temporary folder. */
export const nowIn = async (scratch: string, bundleInto: Bundle): Promise<Version> => {
  const folder = join(scratch, "now")
  mkdirSync(folder)
  await bundleInto(folder, root)
  return { commit: null, folder }
}

/** Bundles programs of this version, and those of the commit of `--against` if there is one. */
export const versionsOf = async (
  kind: string,
  bundleInto: Bundle,
  scratch: string,
  { against, log }: Pick<Options, "against" | "log">
): Promise<Pair<Version, Earlier>> => {
  const before = against === undefined ? [] : [await bundledAt(against, kind, bundleInto, log)]
  return [await nowIn(scratch, bundleInto), ...before]
}
