import { execFile } from "node:child_process"
import { cpSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { promisify } from "node:util"
import { root } from "./Package.ts"

const run = promisify(execFile)

/** A copy of the workspace, as it is on the disk. */
export interface Copy extends AsyncDisposable {
  readonly folder: string
}

/** Copies the workspace to where a release can change its files: with its history, and with links to what is installed. */
export const copyWorkspace = async (): Promise<Copy> => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-release-"))
  const dispose = async () => rmSync(folder, { recursive: true, force: true })
  try {
    await run("git", ["clone", "--quiet", "--shared", "--no-checkout", root, folder])
    const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    const { stdout } = await run("git", list, { cwd: root, maxBuffer: 2 ** 26 })
    for (const file of new Set(stdout.split("\0")))
      if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(folder, file))
    const installed = globSync("{.,apps/*,packages/*,packages/*/*,tools/*}/node_modules", { cwd: root })
    for (const modules of installed) {
      const place = join(folder, dirname(relative(".", modules)))
      // on another file system there are no links
      await run("cp", ["-al", join(root, modules), place]).catch(() => run("cp", ["-a", join(root, modules), place]))
    }
    return { folder, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
