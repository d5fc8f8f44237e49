import { globSync, readFileSync } from "node:fs"
import { dirname, join, matchesGlob, posix } from "node:path"
import { fileURLToPath } from "node:url"

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../../", import.meta.url))

/** A path, or one for each condition. */
export type Target = string | { readonly [condition: string]: Target }

/** The part of a package.json that packing looks at. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  /** Published only for other packages of ours. */
  readonly internal?: boolean
  readonly license?: string
  readonly bin?: Record<string, string>
  readonly exports?: Record<string, Target | null>
  readonly imports?: Record<string, Target>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
  readonly optionalDependencies?: Record<string, string>
}

/** A package as it was unpacked: its manifest, and its files by their path from the package's folder. */
export interface Unpacked {
  readonly manifest: Manifest
  readonly files: ReadonlyMap<string, string>
}

/** The folders of every package that is meant to be published. */
export const publishedFolders = (): ReadonlyArray<string> =>
  globSync("{packages,packages/*,apps}/*/package.json", { cwd: root })
    .map((path) => dirname(path))
    .filter((folder) => {
      const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      return manifest.private !== true
    })
    .toSorted()

/** Reads an unpacked tarball. */
export const read = (folder: string): Unpacked => {
  const files = new Map(
    globSync("**/*", { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [posix.relative(folder, path), readFileSync(path, "utf8")] as const
      })
  )
  return { manifest: JSON.parse(files.get("package.json") ?? "{}"), files }
}

const leaves = (entry: Target | null): ReadonlyArray<string> =>
  typeof entry === "string" ? [entry] : Object.values(entry ?? {}).flatMap(leaves)

const targets = (manifest: Manifest): ReadonlyArray<string> => [
  ...Object.values({ ...manifest.exports, ...manifest.imports }).flatMap(leaves),
  ...Object.values(manifest.bin ?? {})
]

/** `@scope/name/path` and `name/path` to the name of the package. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const imported = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*{][^"';]*?from\s*)?\(?\s*["']([^"'\n]+)["']/gmu

/** Lists the problems of a package for someone who installs it, one sentence each. */
export const problems = ({ files, manifest }: Unpacked): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const required of ["package.json", "README.md", "LICENSE"]) {
    if (!files.has(required)) found.push(`${required} is missing`)
  }
  if (manifest.license === undefined) found.push("package.json names no license")
  for (const target of targets(manifest)) {
    const path = target.replace(/^\.\//u, "")
    if (!(path.includes("*") ? [...files.keys()].some((file) => matchesGlob(file, path)) : files.has(path)))
      found.push(`package.json points to ${path}, which is not in the tarball`)
  }
  for (const ranges of [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies]) {
    for (const [name, range] of Object.entries(ranges ?? {})) {
      if (/^(?:workspace|catalog|link|file):/u.test(range))
        found.push(`${name} is asked for as ${range}, which only a workspace resolves`)
    }
  }
  const declared = new Set([
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies })
  ])
  for (const [path, text] of files) {
    if (/(?:^|\/)test\//u.test(path) || /\.test\.[cm]?[jt]s$/u.test(path)) found.push(`${path} is a test`)
    if (!path.startsWith("dist/")) continue
    // what k6 runs is one bundle, read by k6 and not by a debugger
    if (path.endsWith(".js") && !path.startsWith("dist/k6/") && !files.has(`${path}.map`)) {
      found.push(`${path} has no source map`)
    }
    if (!/\.(?:js|d\.ts)$/u.test(path)) continue
    for (const [, specifier = ""] of text.matchAll(imported)) {
      // Node and k6 bring modules of their own
      if (/^(?:node:|data:|k6(?:\/|$))/u.test(specifier)) continue
      if (specifier.startsWith("#")) {
        if (manifest.imports?.[specifier] === undefined)
          found.push(`${path} imports ${specifier}, which package.json does not map`)
      } else if (specifier.startsWith(".")) {
        const resolved = posix.join(posix.dirname(path), specifier)
        // declarations keep the extension of their source, as TypeScript resolves it
        const candidates = [resolved, resolved.replace(/\.ts$/u, ".d.ts")]
        if (!candidates.some((candidate) => files.has(candidate)))
          found.push(`${path} imports ${specifier}, which is not in the tarball`)
      } else if (!declared.has(packageOf(specifier))) {
        found.push(`${path} imports ${packageOf(specifier)}, which package.json does not declare`)
      }
    }
  }
  return [...new Set(found)]
}
