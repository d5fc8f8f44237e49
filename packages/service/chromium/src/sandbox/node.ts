import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { defaultCache } from "../binary/unpack.ts"

/** Whether every user may run a program: root's own home, for one, is closed to others. */
const isOpen = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || isOpen(dirname(path)))

/**
 * The Node to run in a sandbox: the server's own, which a server that is root has to copy where it is root's alone, since
 * its browsers are another user's.
 */
export const node = (executable = process.execPath, cache = defaultCache()): string => {
  if (process.getuid?.() !== 0 || isOpen(executable)) return executable
  const copy = join(cache, `node-${process.version}`)
  if (!existsSync(copy)) {
    mkdirSync(cache, { recursive: true, mode: 0o755 })
    const staging = `${copy}-${process.pid}`
    copyFileSync(executable, staging)
    chmodSync(staging, 0o755)
    renameSync(staging, copy)
  }
  return copy
}
