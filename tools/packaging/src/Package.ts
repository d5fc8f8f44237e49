import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

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

/**
 * Lists the problems of an unpacked package for a person who installs it, one sentence each. The compiler and
 * tools/arrows check what its modules import.
 */
export const problems = async (folder: string): Promise<ReadonlyArray<string>> => {
  const { files, manifest } = read(folder)
  const paths = [...files.keys()]
  const ranges = Object.entries({
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...manifest.optionalDependencies
  })
  const { messages, pkg } = await publint({ pkgDir: folder, level: "warning", strict: true, pack: false })
  return [
    ...["package.json", "README.md", "LICENSE"].filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...(manifest.license === undefined ? ["package.json names no license"] : []),
    ...ranges
      .filter(([, range]) => /^(?:workspace|catalog|link|file):/u.test(range))
      .map(([name, range]) => `package.json needs ${name} as ${range}, which only a workspace resolves`),
    ...paths.filter((path) => /(?:^|\/)test\/|\.test\.[cm]?[jt]s$/u.test(path)).map((path) => `${path} is a test`),
    // only modules that Node imports: k6 reads its bundle itself, and the scripts of web/ are for browsers
    ...paths
      .filter((path) => /^dist\/(?!export\/|k6\/|web\/).*\.js$/u.test(path) && !files.has(`${path}.map`))
      .map((path) => `${path} has no source map`),
    ...messages.flatMap((message) => formatMessage(message, pkg, { color: false }) ?? [])
  ]
}
