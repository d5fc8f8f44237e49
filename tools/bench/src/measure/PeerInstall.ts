import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Mistake } from "./Mistake.ts"
import { root } from "./Root.ts"

const peers = join(root, "tools", "bench", "peers")

/**
 * Installs the peers from their own lockfile, once, into a cache outside of the workspace, and copies their programs
 * beside them. Gives the folder.
 */
export const installPeers = (log: (line: string) => void): string => {
  const hash = createHash("sha256")
    .update(readFileSync(join(peers, "package-lock.json")))
    .digest("hex")
    .slice(0, 16)
  const folder = join(root, "node_modules", ".cache", "webagent-bench", hash)
  const complete = join(folder, ".complete")
  mkdirSync(folder, { recursive: true })
  cpSync(peers, folder, { recursive: true, filter: (path) => !path.includes("node_modules") })
  if (existsSync(complete)) return folder
  log("installing the peers once (about 20 s, 130 MB) ...")
  // install scripts of strangers do not run: nothing here needs one
  const { error, status, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32"
  })
  if (error !== undefined) throw new Mistake(`npm could not be started (${error.message}): install Node with npm.`)
  if (status !== 0) throw new Mistake(`The peers could not be installed; npm said: ${stderr.trim()}`)
  writeFileSync(complete, "")
  return folder
}

/** The version of a peer that was installed. */
export const versionOf = (installed: string, name: string): string => {
  const manifest: unknown = JSON.parse(readFileSync(join(installed, "node_modules", name, "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "?"
}
