import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"
import { type Manifest, publishedFolders, root, type Target, type Unpacked } from "./Package.ts"

/** The folder of the reports, from the root of the repository. */
export const folder = "docs/api"

const typesOf = (target: Target | null): ReadonlyArray<string> =>
  typeof target === "string" || target === null
    ? []
    : Object.entries(target).flatMap(([condition, inner]) =>
        condition === "types" && typeof inner === "string" ? [posix.normalize(inner)] : typesOf(inner)
      )

/** Removes comments, so that a reworded comment doesn't change the report. */
const withoutComments = (path: string, source: string): string => {
  let text = source
  for (const { end, start } of parseSync(path, source).comments.toReversed()) {
    text = text.slice(0, start) + text.slice(end)
  }
  return text
}

/** Sorts the members of each union, because the compiler writes those of an inferred type in a different order each time. */
const withSortedUnions = (path: string, source: string): string => {
  const unions: Array<ReadonlyArray<{ readonly start: number; readonly end: number }>> = []
  new Visitor({ "TSUnionType:exit": ({ types }) => void unions.push(types) }).visit(parseSync(path, source).program)
  // a union comes after those inside it, and sorting keeps its length, so the places of all others stay right
  return unions.reduce((text, places) => {
    const members = places.map(({ end, start }) => text.slice(start, end)).toSorted()
    const end = places.at(-1)?.end ?? 0
    const sorted = members.map(
      (member, index) => member + text.slice(places[index]?.end, places[index + 1]?.start ?? end)
    )
    return text.slice(0, places[0]?.start) + sorted.join("") + text.slice(end)
  }, source)
}

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")

const indentOf = (line: string): number => line.length - line.trimStart().length

/**
 * Replaces a nested type that an earlier declaration has, too, by its number of lines and a digest. The compiler repeats
 * the types of schemas wherever they are used.
 */
const withoutRepetition = (lines: ReadonlyArray<string>, earlier: Set<string>): ReadonlyArray<string> => {
  const [first = ""] = lines
  const indent = indentOf(first)
  const kept: Array<string> = []
  for (let index = 0; index < lines.length;) {
    const line = lines[index] ?? ""
    kept.push(line)
    index++
    const end = lines.findIndex((other, place) => place >= index && indentOf(other) <= indent)
    const nested = lines.slice(index, end === -1 ? undefined : end)
    if (nested.length === 0) continue
    index += nested.length
    const inner = indentOf(nested[0] ?? "")
    const text = nested.map((other) => other.slice(inner)).join("\n")
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 8)
    if (earlier.has(digest) && nested.length > 2) kept.push(`${" ".repeat(inner)}... ${nested.length} lines ${digest}`)
    else {
      earlier.add(digest)
      kept.push(...withoutRepetition(nested, earlier))
    }
  }
  return kept
}

const imported = /(?:from\s*|import\(\s*|import\s+)["']([^"'\n]+)["']/gu

/** A declaration file of a built package. */
interface Declarations {
  readonly owner: Unpacked
  readonly path: string
}

/** Returns the declaration files that a declaration file imports from its own package and from internal ones. */
const importsOf = (
  { owner, path }: Declarations,
  source: string,
  internal: ReadonlyArray<Unpacked>
): ReadonlyArray<Declarations> =>
  Array.from(source.matchAll(imported), ([, specifier = ""]) => specifier).flatMap((specifier) => {
    if (specifier.startsWith("."))
      return [{ owner, path: posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/u, ".d.ts")) }]
    return internal.flatMap(({ files, manifest }) =>
      typesOf(manifest.exports?.[specifier.replace(manifest.name, ".")] ?? null).map((types) => ({
        owner: { files, manifest },
        path: types
      }))
    )
  })

/**
 * Returns the public surface of a built package as one text: the declarations of its entries, and of all files that they
 * import from the package and from internal packages, without comments. The text changes only if the surface does.
 */
export const apiReport = (built: Unpacked, internal: ReadonlyArray<Unpacked> = []): string => {
  const { exports = {}, name } = built.manifest
  const reached = new Map<string, ReadonlyArray<string>>()
  const queue = Object.values(exports)
    .flatMap(typesOf)
    .map((path): Declarations => ({ owner: built, path }))
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { owner, path } = next
    const source = owner.files.get(path)
    const place = path.replace(/^dist\//u, owner === built ? "" : `${owner.manifest.name}/`)
    if (source === undefined || reached.has(place)) continue
    reached.set(place, linesOf(withSortedUnions(path, withoutComments(path, source))))
    queue.push(...importsOf(next, source, internal))
  }
  const parts = [...reached].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const earlier = new Set<string>()
  return [
    `${name}: ${Object.keys(exports).toSorted().join(" ")}\n`,
    ...parts.map(([place, lines]) => `// ${place}\n${withoutRepetition(lines, earlier).join("\n")}\n`)
  ].join("\n")
}

/** Returns the report of each public package that was built, by its file name. An internal package has none. */
export const apiReports = (): ReadonlyMap<string, string> => {
  const packages = publishedFolders().map((folder): Unpacked => {
    const home = join(root, folder)
    const manifest: Manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    const declarations = globSync("dist/**/*.d.ts", { cwd: home })
    return { manifest, files: new Map(declarations.map((path) => [path, readFileSync(join(home, path), "utf8")])) }
  })
  const internal = packages.filter(({ manifest }) => manifest.internal === true)
  return new Map(
    packages
      .filter(({ manifest }) => manifest.exports !== undefined && manifest.internal !== true)
      .map((built) => [`${built.manifest.name.replace("@webagent/", "")}.txt`, apiReport(built, internal)])
  )
}
