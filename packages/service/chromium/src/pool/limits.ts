import { readFileSync } from "node:fs"
import { availableParallelism, totalmem } from "node:os"

const mebibyte = 1024 * 1024

/** What a browser is reckoned with: an empty one takes 75 MiB, one with a heavy page 500. */
const ofBrowser_bytes = 512 * mebibyte

/** What is left to everything else. */
const ofOthers_bytes = 2048 * mebibyte

/** How many launches at once gain time: each is bound by the processor. */
export const launches = availableParallelism()

/** How many browsers a machine has room for, by its memory and its processors. */
export const most = (): number =>
  Math.max(1, Math.min(Math.floor((totalmem() - ofOthers_bytes) / ofBrowser_bytes), 8 * launches))

/** Whether the machine has memory for one more browser now; where it does not tell, it has. */
export const hasMemory = (): boolean => {
  try {
    const [, available] = /^MemAvailable:\s+(\d+)/mu.exec(readFileSync("/proc/meminfo", "latin1")) ?? []
    return available === undefined || Number(available) * 1024 > ofBrowser_bytes
  } catch {
    return true
  }
}
