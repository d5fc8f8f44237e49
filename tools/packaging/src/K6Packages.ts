import { execFileSync, spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Manifest, root } from "./Package.ts"
import type { Packed } from "./Tarballs.ts"

/** True if Go, which builds k6, is on the PATH. */
export const hasGo = (): boolean => spawnSync("go", ["version"]).status === 0

const goNames: Readonly<Record<string, string>> = { x64: "amd64", win32: "windows" }
const goName = (name: string): string => goNames[name] ?? name

/** Builds k6 for this machine, and packs it as npm packages. */
export const packK6 = async (): Promise<ReadonlyArray<Packed>> => {
  const place = mkdtempSync(join(tmpdir(), "webagent-k6-"))
  const platform = `${goName(process.platform)}/${goName(process.arch)}`
  execFileSync(process.execPath, [join(root, "tools/k6/packages.mjs"), place, platform], { stdio: "inherit" })
  return globSync("*/package.json", { cwd: place }).map((path) => {
    const folder = join(place, dirname(path))
    const { name, version }: Manifest = JSON.parse(readFileSync(join(place, path), "utf8"))
    const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", place, folder], { encoding: "utf8" })
    return { name, version, folder, tarball: join(place, packed.trim()) }
  })
}
