import { spawn } from "node:child_process"
import { once } from "node:events"
import { createReadStream, existsSync, globSync, lstatSync, readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { basename, dirname, join } from "node:path"
import { type Manifest, root } from "./Package.ts"
import type { Packed } from "./Tarballs.ts"

/** A package registry on this machine. */
export interface Registry {
  readonly address: string
  readonly stop: () => void
}

/** A version of a package, and how its tarball is sent. */
interface Version {
  readonly manifest: Manifest
  readonly send: (response: ServerResponse) => void
}

const manifestIn = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The version of a package that the workspace itself uses. */
export const versionInUse = (name: string): string => manifestIn(join(root, "node_modules", name)).version

/** Returns the packages that pnpm installed for the workspace: a folder per version, ignoring links. */
const installed = (): ReadonlyArray<Version> =>
  globSync("node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json", { cwd: root })
    .map((path) => join(root, dirname(path)))
    .filter((folder) => lstatSync(folder).isDirectory())
    .map((folder) => ({
      manifest: manifestIn(folder),
      send: (response) => {
        // most of a package's files are for debuggers, and each install would write them all
        const sources = existsSync(join(folder, "dist")) ? [`${basename(folder)}/src`] : []
        const without = ["node_modules", "*.map", ...sources].map((pattern) => `--exclude=${pattern}`)
        // pnpm keeps equal files once, and npm takes no links out of a tarball
        const args = ["-cf", "-", "--hard-dereference", ...without, "-C", dirname(folder), basename(folder)]
        spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] }).stdout.pipe(response)
      }
    }))

/**
 * Serves the packed packages, and what the workspace has installed already: an install from it needs no network.
 * A peer dependency that the workspace does without is optional, as pnpm-workspace.yaml says.
 */
export const startRegistry = async (packed: ReadonlyArray<Packed>): Promise<Registry> => {
  const packages = new Map<string, Map<string, Version>>()
  const add = (version: Version) => {
    const { manifest } = version
    const versions = packages.get(manifest.name) ?? new Map<string, Version>()
    packages.set(manifest.name, versions.set(manifest.version, version))
  }
  for (const version of installed()) add(version)
  for (const { folder, tarball } of packed)
    add({ manifest: manifestIn(folder), send: (response) => void createReadStream(tarball).pipe(response) })

  let address = ""
  const documentOf = (name: string, versions: ReadonlyMap<string, Version>) => ({
    name,
    "dist-tags": { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(
      [...versions].map(([version, { manifest }]) => {
        const absent = Object.keys(manifest.peerDependencies ?? {}).filter((peer) => !packages.has(peer))
        const optional = Object.fromEntries(absent.map((peer) => [peer, { optional: true }]))
        const dist = { tarball: `${address}/-/${encodeURIComponent(name)}/${version}` }
        return [version, { ...manifest, peerDependenciesMeta: { ...manifest.peerDependenciesMeta, ...optional }, dist }]
      })
    )
  })

  const server = createServer(({ url = "" }, response) => {
    const [, first = "", second = "", third = ""] = url.split("/").map(decodeURIComponent)
    const versions = packages.get(first === "-" ? second : first)
    const version = versions?.get(third)
    if (version !== undefined) return version.send(response)
    if (versions !== undefined) return response.end(JSON.stringify(documentOf(first, versions)))
    return response.writeHead(404).end()
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const place = server.address()
  if (place === null || typeof place === "string") throw new Error("The registry has no port")
  address = `http://127.0.0.1:${place.port}`
  return { address, stop: () => void server.close() }
}
