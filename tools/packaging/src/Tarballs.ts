import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Manifest, publishedFolders, root } from "./Package.ts"

/** A package, packed and unpacked again. */
export interface Packed {
  readonly name: string
  readonly tarball: string
  /** Where it was unpacked, as `node_modules/<name>` would hold it. */
  readonly folder: string
}

const bin = (name: string) => join(root, "node_modules", ".bin", name)

/** Builds and packs every published package into a new temporary folder, outside of the workspace. */
export const packAll = (): ReadonlyArray<Packed> => {
  execFileSync(bin("turbo"), ["run", "build", "--output-logs=errors-only"], {
    cwd: root,
    stdio: "pipe",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" }
  })
  const destination = mkdtempSync(join(tmpdir(), "webagent-packed-"))
  return publishedFolders().map((folder) => {
    const { name }: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const place = join(destination, name.replace("/", "-"))
    mkdirSync(place)
    execFileSync(bin("pnpm"), ["pack", "--pack-destination", place], { cwd: join(root, folder), stdio: "pipe" })
    const tarball = readdirSync(place).find((file) => file.endsWith(".tgz"))
    if (tarball === undefined) throw new Error(`${name} was not packed`)
    execFileSync("tar", ["-xzf", tarball], { cwd: place, stdio: "pipe" })
    return { name, tarball: join(place, tarball), folder: join(place, "package") }
  })
}
