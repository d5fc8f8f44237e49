import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface Manifest {
  readonly name: string
  readonly private?: boolean
  /** Published only for other packages of ours. Its entries can change in any release. */
  readonly internal?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
}

const isOutside = (path: string): boolean =>
  /(?:^|\/)(?:node_modules|dist|\.webagent|\.turbo|\.changeset)(?:\/|$)/u.test(path)

const isTest = (path: string): boolean => /(?:^|\/)test\/|^tools\//u.test(path)

const ourEntry = /(?:@webagent\/[\w-]+|webagent-harness)(?:\/[\w/-]+)?/gu

/** Returns the files that name each entry of our packages, by the entry as an import names it. */
const usesIn = (root: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const uses = new Map<string, Set<string>>()
  for (const file of globSync("{*,{apps,docs,packages,tools}/**/*}.{ts,tsx,*js,md}", { cwd: root, exclude: isOutside }))
    for (const [entry] of readFileSync(join(root, file), "utf8").matchAll(ourEntry))
      uses.set(entry, (uses.get(entry) ?? new Set()).add(file))
  return uses
}

/**
 * Checks what the published packages below `root` export. Each entry is named and used: by another package or a document,
 * not only by tests. A package that depends on an internal one needs its exact version.
 *
 * @returns One line for each violation.
 */
export const unusedEntries = (root: string): ReadonlyArray<string> => {
  const published = globSync("{packages,packages/*,apps}/*/package.json", { cwd: root, exclude: isOutside })
    .map((file) => ({ file, manifest: JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest }))
    .filter(({ manifest }) => manifest.private !== true)
  const internal = new Set(published.flatMap(({ manifest }) => (manifest.internal === true ? manifest.name : [])))
  const uses = usesIn(root)
  return published.flatMap(({ file, manifest: { dependencies = {}, exports = {}, name } }) => {
    const isUsed = (entry: string) =>
      [...(uses.get(entry.replace(/^\./u, name)) ?? [])].some(
        (user) => !user.startsWith(`${dirname(file)}/src/`) && (internal.has(name) || !isTest(user))
      )
    const entries = Object.entries(exports).filter(([, target]) => target !== null)
    return [
      ...entries.flatMap(([entry]) =>
        entry.includes("*")
          ? `${file} exports ${entry}. Name each entry.`
          : isUsed(entry)
            ? []
            : `${file} exports ${entry}, which no other package imports and no document names. Remove it.`
      ),
      ...Object.entries(dependencies).flatMap(([dependency, range]) =>
        internal.has(dependency) && range !== "workspace:*"
          ? `${file} depends on ${dependency}, which is internal, with ${range}. Use workspace:*, its exact version.`
          : []
      )
    ]
  })
}
