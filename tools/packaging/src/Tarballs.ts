import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { type Manifest, publishedFolders, root } from "./Package.ts"

/** A package, packed and unpacked again. */
export interface Packed {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** Where it was unpacked, as `node_modules/<name>` would hold it. */
  readonly folder: string
}

const bin = (name: string) => join(root, "node_modules", ".bin", name)

const run = promisify(execFile)

const pack = async (folder: string, destination: string): Promise<Packed> => {
  const { name, version }: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const place = join(destination, name.replace("/", "-"))
  mkdirSync(place)
  await run(bin("pnpm"), ["pack", "--pack-destination", place], { cwd: join(root, folder) })
  const tarball = readdirSync(place).find((file) => file.endsWith(".tgz"))
  if (tarball === undefined) throw new Error(`${name} was not packed`)
  await run("tar", ["-xzf", tarball], { cwd: place })
  return { name, version, tarball: join(place, tarball), folder: join(place, "package") }
}

/** Builds and packs every published package into a new temporary folder, outside of the workspace. */
export const packAll = async (): Promise<ReadonlyArray<Packed>> => {
  await run(bin("turbo"), ["run", "build", "--output-logs=errors-only"], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" }
  })
  const destination = mkdtempSync(join(tmpdir(), "webagent-packed-"))
  return Promise.all(publishedFolders().map((folder) => pack(folder, destination)))
}
