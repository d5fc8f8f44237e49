import { chmodSync, copyFileSync, existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { cacheFolders, isOpen, makeCache } from "../binary/unpack.ts"

const copyTo = (cache: string, executable: string): string => {
  makeCache(cache)
  const copy = join(cache, `node-${process.version}`)
  if (!existsSync(copy)) {
    const staging = `${copy}-${process.pid}`
    copyFileSync(executable, staging)
    chmodSync(staging, 0o755)
    renameSync(staging, copy)
  }
  return copy
}

/**
 * The Node to run in a sandbox: the server's own, which a server that is root has to copy where it is root's alone, since
 * its browsers are another user's. The copy goes into the first folder that can be written.
 */
export const node = (executable = process.execPath, caches = cacheFolders()): string => {
  if (process.getuid?.() !== 0 || isOpen(executable)) return executable
  const [cache = "", ...others] = caches
  try {
    return copyTo(cache, executable)
  } catch (error) {
    if (others.length === 0) throw error
    return node(executable, others)
  }
}
