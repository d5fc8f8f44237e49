import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "./build.ts"
import { type Manifest, publishedFolders, root } from "./Package.ts"

/** A package, packed and unpacked again. */
export interface Packed {
  readonly name: string
  readonly version: string
  readonly tarball: string
  /** Folder with the unpacked package, like `node_modules/<name>`. */
  readonly folder: string
}

const bin = (name: string) => join(root, "node_modules", ".bin", name)

const run = promisify(execFile)

/** Packs packages, whose tarballs must have different names. */
const pack = async (folders: ReadonlyArray<string>, destination: string): Promise<ReadonlyArray<Packed>> => {
  const filters = folders.map((folder) => `--filter=./${folder}`)
  await run(bin("pnpm"), ["--recursive", ...filters, "pack", "--pack-destination", destination], { cwd: root })
  return Promise.all(
    folders.map(async (folder) => {
      const { name, version }: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      const tarball = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)
      const unpacked = tarball.slice(0, -".tgz".length)
      mkdirSync(unpacked)
      await run("tar", ["-xzf", tarball], { cwd: unpacked })
      return { name, version, tarball, folder: join(unpacked, "package") }
    })
  )
}

/** Builds and packs every published package into a new temporary folder, outside of the workspace. */
export const packAll = async (): Promise<ReadonlyArray<Packed>> => {
  await build()
  const destination = mkdtempSync(join(tmpdir(), "webagent-packed-"))
  // an app and a package may share a tarball's name
  const kinds = Map.groupBy(publishedFolders(), (folder) => folder.split("/")[0] ?? "")
  const packed = [...kinds].map(([kind, folders]) => pack(folders, join(destination, kind)))
  return (await Promise.all(packed)).flat()
}
