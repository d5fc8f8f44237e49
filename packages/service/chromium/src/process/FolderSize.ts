import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"

/** Minimum size that counts for a file, so that many small ones are detected as soon as a large one. */
const least_bytes = 16 * 1024

/**
 * True if the files of a folder are larger than a limit. It reads no further than necessary, because a page can make
 * its browser write a million files.
 */
export const exceeds = async (folder: string, limit_bytes: number): Promise<boolean> => {
  let left_bytes = limit_bytes
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const path = join(next, entry.name)
        if (entry.isDirectory()) folders.push(path)
        const taken = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined
        // sparse files take less than their length
        left_bytes -= Math.max(least_bytes, (taken?.blocks ?? 0) * 512)
        if (left_bytes < 0) return true
      }
    } catch {
      // it is gone by now
    }
  }
  return false
}
