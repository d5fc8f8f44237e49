import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const mount = (megabytes: number): string => {
  const path = mkdtempSync(join(tmpdir(), "webagent-volume-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", path], { stdio: "ignore" })
    return path
  } catch (error) {
    rmdirSync(path)
    throw error
  }
}

const unmount = (path: string) => {
  // lazily: a process that was just killed may still have files open
  execFileSync("umount", ["--lazy", path])
  rmdirSync(path)
}

/** True if this user may mount a volume, which requires root on Linux. */
export const canMount = (() => {
  try {
    unmount(mount(1))
    return true
  } catch {
    return false
  }
})()

/** A volume of this size that is gone after the test. */
export const volume = (megabytes: number) =>
  Effect.acquireRelease(
    Effect.sync(() => mount(megabytes)),
    (path) => Effect.sync(() => unmount(path))
  )
