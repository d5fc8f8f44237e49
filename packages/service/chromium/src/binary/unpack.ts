import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** The usual folder for unpacked programs. Root's browsers run as another user, who can't read root's home. */
const usualCache = (): string =>
  process.getuid?.() === 0
    ? "/var/cache/webagent"
    : join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "webagent")

/** The folders to unpack programs into, in order: where the root is read-only, the data folder or a temporary one can be written. */
export const cacheFolders = (data?: string): ReadonlyArray<string> => [
  usualCache(),
  ...(data === undefined ? [] : [join(resolve(data), "cache")]),
  join(tmpdir(), `webagent-cache-${process.getuid?.() ?? "user"}`)
]

/** Locations of the packaged browser and its NSS libraries after unpacking. */
export interface Unpacked {
  readonly executable: string
  readonly libraries: string
}

// the package unpacks into the temporary folder of its process and nowhere else
const script = `
const [, entry, libraries] = process.argv
const { default: chromium, inflate } = await import(entry)
await chromium.executablePath()
await inflate(libraries)
`

/** Refuses a folder that other users can write, because they could put their own program there. */
const refuseShared = (folder: string): void => {
  const { mode, uid } = lstatSync(folder)
  // root can change any program
  if (![0, process.getuid?.()].includes(uid) || (mode & 0o022) !== 0) {
    throw new Error(`${folder} can be written by other users. Delete it and start again`)
  }
}

/** True if every user may run a program, or reach a folder. For example, root's home directory is closed to others. */
export const isOpen = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || isOpen(dirname(path)))

/** Creates a folder for programs that browsers can run and no other user can change. */
export const makeCache = (cache: string): void => {
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  refuseShared(cache)
  // root's browsers run as another user
  if (process.getuid?.() === 0 && !isOpen(cache)) throw new Error(`${cache} is closed to the user of browsers`)
}

const settle = (staging: string, home: string): void => {
  try {
    renameSync(staging, home)
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    // another process was quicker
    if (!existsSync(home)) throw error
  }
}

/** Resolves a package to the URL of its module, as `import.meta.resolve` does; throws if it isn't installed. */
export type Resolve = (name: string) => string

/** Returns the URL of the packaged browser's module; undefined if the package isn't installed. */
export const locate = (resolve: Resolve = (name) => import.meta.resolve(name)): string | undefined => {
  try {
    return resolve("@sparticuz/chromium")
  } catch {
    return undefined
  }
}

/** Unpacks the browser of `@sparticuz/chromium`, once for all processes of this user; undefined without the package. */
export const unpack = async (cache: string, entry = locate()): Promise<Unpacked | undefined> => {
  if (entry === undefined) return undefined
  // the package does not export its package.json
  const packaged = dirname(dirname(fileURLToPath(entry)))
  const { version }: { version: string } = JSON.parse(readFileSync(join(packaged, "package.json"), "utf8"))
  const home = join(cache, `chromium-${version}`)
  makeCache(cache)
  if (!existsSync(home)) {
    // beside its place and then moved there: a process that is killed leaves no half of one
    const staging = `${home}-${randomUUID()}`
    mkdirSync(staging, { mode: 0o755 })
    try {
      const libraries = join(packaged, "bin", "al2023.tar.br")
      await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script, entry, libraries], {
        env: { TMPDIR: staging }
      })
      for (const path of [staging, join(staging, "chromium")]) chmodSync(path, 0o755)
    } catch (error) {
      rmSync(staging, { recursive: true, force: true })
      throw error
    }
    settle(staging, home)
  }
  refuseShared(home)
  return { executable: join(home, "chromium"), libraries: join(home, "al2023", "lib") }
}
