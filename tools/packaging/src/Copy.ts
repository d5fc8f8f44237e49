import { execFile } from "node:child_process"
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { root } from "./Package.ts"

const run = promisify(execFile)

/** A copy of the workspace, as it is on the disk. */
export interface Copy extends AsyncDisposable {
  readonly folder: string
  /** A folder for temporary files, outside of the copy and removed with it. */
  readonly temporary: string
}

/**
 * Copies the workspace to where a release can change its files: with its history, and with links to what is installed.
 * Stops and removes the copy if `signal` aborts.
 */
export const copyWorkspace = async (signal: AbortSignal): Promise<Copy> => {
  signal.throwIfAborted()
  const place = mkdtempSync(join(tmpdir(), "webagent-release-"))
  const [folder, temporary] = [join(place, "workspace"), join(place, "temporary")]
  const dispose = async () => rmSync(place, { recursive: true, force: true, maxRetries: 5 })
  try {
    mkdirSync(temporary)
    await run("git", ["clone", "--quiet", "--shared", "--no-checkout", root, folder], { signal })
    const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const { stdout } = await run("git", list, { cwd: root, maxBuffer: 2 ** 26, signal })
    for (const file of new Set(stdout.split("\0")))
      if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file))
    const installed = globSync("{.,apps/*,packages/*,packages/*/*,tools/*}/node_modules", { cwd: root })
    for (const modules of installed) {
      const destination = join(folder, dirname(relative(".", modules)))
      // on another file system there are no links
      const copy = (flags: string) => run("cp", [flags, join(root, modules), destination], { signal })
      await copy("-al").catch(() => copy("-a"))
    }
    return { folder, temporary, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
