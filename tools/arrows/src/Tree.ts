import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"

/** A workspace package as it is on disk. */
export interface Package {
  /** From the root: `packages/client/core`. */
  readonly folder: string
  readonly name: string
  /** Packages that its sources may import by name, including development dependencies if it's never published. */
  readonly dependencies: ReadonlySet<string>
  /** Additional packages that its tests and scripts may import. */
  readonly devDependencies: ReadonlySet<string>
  /** Subpath imports (`#http`), each with the files of the package that it may lead to. */
  readonly subpaths: ReadonlyMap<string, ReadonlyArray<string>>
  /** Every source file, from the package's folder. */
  readonly files: ReadonlyArray<string>
}

type Target = string | { readonly [condition: string]: Target }

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly imports?: Record<string, Target>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

const leaves = (target: Target): ReadonlyArray<string> =>
  typeof target === "string" ? [target] : Object.values(target).flatMap(leaves)

// peers are other people's programs, installed from a lockfile of their own
const excluded = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|peers|\.webagent|\.turbo)(?:\/|$)/u.test(path)

const read = (root: string, folder: string): Package => {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const { dependencies, devDependencies, imports = {}, name, optionalDependencies, peerDependencies } = manifest
  const shipped = { ...dependencies, ...peerDependencies, ...optionalDependencies }
  return {
    folder,
    name,
    dependencies: new Set(Object.keys(manifest.private === true ? { ...shipped, ...devDependencies } : shipped)),
    devDependencies: new Set(Object.keys({ ...devDependencies })),
    subpaths: new Map(Object.entries(imports).map(([name, target]) => [name, leaves(target)])),
    files: globSync("**/*.{ts,mts,tsx,mjs,js}", { cwd: join(root, folder), exclude: excluded }).toSorted()
  }
}

/** The packages of the workspace, by folder. */
export const packages = (root: string): ReadonlyArray<Package> =>
  globSync("{packages,packages/*,apps,tools}/*/package.json", { cwd: root, exclude: excluded })
    .map((path) => read(root, posix.normalize(dirname(path))))
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1))
