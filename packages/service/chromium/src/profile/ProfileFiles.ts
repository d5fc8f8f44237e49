import * as Data from "effect/Data"
import { constants, type Stats } from "node:fs"
import { chown, lstat, mkdir, open, readdir, readlink, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"

/** A profile can't be packed or unpacked. The message says why. */
export class BadProfile extends Data.TaggedError("BadProfile")<{ readonly message: string }> {}

/** The parts of a browser's profile: its cookies as CDP has them, and its files by their paths in `Default`. */
export interface ProfileContent {
  readonly cookies: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly files: ReadonlyArray<readonly [path: string, bytes: Uint8Array]>
}

/** The user that a browser runs as. */
interface User {
  readonly uid: number
  readonly gid: number
}

/** The folders of `Default` that keep a person signed in. No history, no forms, no passwords, no caches of the network. */
const folders = ["Local Storage", "IndexedDB", "Service Worker", "WebStorage", "File System"]

/** Not worth its room, or only for one run of the browser. */
const isLeftOut = (path: string) => /\/(?:LOCK|LOG|LOG\.old)$/u.test(path)

/** The most bytes and files of a profile, because a hostile page or a hostile store may have written them. */
const limits = { bytes: 64_000_000, files: 10_000 }
const maxPath = 1024

const format = 1

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const tooLarge = ({ bytes, files }: typeof limits) =>
  new BadProfile({ message: `A profile has at most ${bytes / 1_000_000} MB of storage in ${files} files` })

const damaged = () => new BadProfile({ message: "The profile's state is damaged" })

/** Opens a file that a browser may have replaced with a link, also with a link in the place of one of its folders. */
const readFile = async (path: string, most: typeof limits): Promise<Uint8Array | undefined> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const { nlink, size } = await file.stat()
    if (size > most.bytes) throw tooLarge(most)
    if (nlink !== 1) return undefined
    if (process.platform === "linux" && (await readlink(`/proc/self/fd/${file.fd}`)) !== path) return undefined
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** The regular files below a folder. */
async function* walk(root: string, path: string): AsyncGenerator<string> {
  const stats: Stats | undefined = await lstat(join(root, path)).catch(() => undefined)
  if (stats?.isFile() === true) {
    if (!isLeftOut(path)) yield path
  } else if (stats?.isDirectory() === true) {
    const names = await readdir(join(root, path)).catch((): ReadonlyArray<string> => [])
    for (const name of names.toSorted()) yield* walk(root, `${path}/${name}`)
  }
}

/** Reads the files of a profile from the folder of a browser that doesn't run, or is paused. */
export const readFiles = async (profile: string, most = limits): Promise<ProfileContent["files"]> => {
  const files: Array<readonly [string, Uint8Array]> = []
  const root = await realpath(join(profile, "Default")).catch(() => undefined)
  if (root === undefined) return files
  let total = 0
  for (const folder of folders) {
    for await (const path of walk(root, folder)) {
      const bytes = await readFile(join(root, path), most)
      if (bytes === undefined) continue
      total += bytes.length
      if (total > most.bytes || files.length >= most.files) throw tooLarge(most)
      files.push([path, bytes])
    }
  }
  return files
}

const isSafe = (path: unknown): path is string =>
  typeof path === "string" &&
  path.length <= maxPath &&
  folders.includes(path.split("/", 1)[0] ?? "") &&
  path.split("/").every((name) => name !== "" && name !== "." && name !== ".." && !name.includes("\0"))

/** Writes the files of a profile into a folder that only this process can reach yet, and gives them to a user. */
export const writeFiles = async (
  profile: string,
  files: ProfileContent["files"],
  user: User | undefined
): Promise<void> => {
  const root = join(profile, "Default")
  const made = new Set<string>()
  const make = async (path: string): Promise<void> => {
    if (made.has(path)) return
    made.add(path)
    if (path !== profile) await make(dirname(path))
    await mkdir(path, { mode: 0o700 })
    if (user !== undefined) await chown(path, user.uid, user.gid)
  }
  for (const [path, bytes] of files) {
    if (!isSafe(path)) throw damaged()
    await make(dirname(join(root, path)))
    const file = await open(join(root, path), "wx", 0o600)
    try {
      if (user !== undefined) await file.chown(user.uid, user.gid)
      await file.writeFile(bytes)
    } finally {
      await file.close()
    }
  }
}

/** Makes one compressed text of bytes: a line of JSON, then the bytes of all files. */
export const pack = async ({ cookies, files }: ProfileContent): Promise<Uint8Array> => {
  const head = { format, cookies, files: files.map(([path, { length }]) => [path, length]) }
  return compress(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...files.map(([, bytes]) => bytes)]))
}

/** Reads what `pack` made. Throws `BadProfile` if it isn't that, or if it's too large. */
export const unpack = async (packed: Uint8Array): Promise<ProfileContent> => {
  const bytes = await decompress(packed, { maxOutputLength: 2 * limits.bytes }).catch(() => {
    throw damaged()
  })
  const end = bytes.indexOf(10)
  let at = end + 1
  try {
    const head = JSON.parse(bytes.toString("utf8", 0, end)) as {
      readonly format: number
      readonly cookies: ProfileContent["cookies"]
      readonly files: ReadonlyArray<readonly [string, number]>
    }
    if (head.format !== format || !Array.isArray(head.cookies) || head.files.length > limits.files) throw damaged()
    const files = head.files.map(([path, size]) => {
      if (!isSafe(path) || !Number.isSafeInteger(size) || size < 0 || at + size > bytes.length) throw damaged()
      at += size
      return [path, bytes.subarray(at - size, at)] as const
    })
    if (at !== bytes.length) throw damaged()
    return { cookies: head.cookies, files }
  } catch {
    throw damaged()
  }
}
