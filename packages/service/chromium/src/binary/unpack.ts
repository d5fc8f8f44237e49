import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** Where programs of this user are unpacked. Other users may run what root unpacked, so it is not in root's home. */
export const defaultCache = (): string =>
  process.getuid?.() === 0
    ? "/var/cache/webagent"
    : join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "webagent")

/** Where the packaged browser and its NSS libraries are once they are unpacked. */
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

/** Other users could put their program into a folder that they can write. */
const isOwn = (folder: string): boolean => {
  const { mode, uid } = statSync(folder)
  return uid === process.getuid?.() && (mode & 0o022) === 0
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

const besideThis = (): string | undefined => {
  try {
    return import.meta.resolve("@sparticuz/chromium")
  } catch {
    return undefined
  }
}

/** Unpacks the browser of `@sparticuz/chromium`, once for all processes of this user; undefined without the package. */
export const unpack = async (cache: string, entry = besideThis()): Promise<Unpacked | undefined> => {
  if (entry === undefined) return undefined
  // the package does not export its package.json
  const packaged = dirname(dirname(fileURLToPath(entry)))
  const { version }: { version: string } = JSON.parse(readFileSync(join(packaged, "package.json"), "utf8"))
  const home = join(cache, `chromium-${version}`)
  if (!existsSync(home)) {
    // beside its place and then moved there: a process that is killed leaves no half of one
    const staging = `${home}-${randomUUID()}`
    mkdirSync(staging, { recursive: true, mode: 0o755 })
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
  if (!isOwn(home)) throw new Error(`${home} can be written by other users. Delete it and start again`)
  return { executable: join(home, "chromium"), libraries: join(home, "al2023", "lib") }
}
