import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join, matchesGlob, posix } from "node:path"
import { parseSync } from "rolldown/utils"
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
const withoutComments = (path: string, source: string): ReadonlyArray<string> => {
  let text = source
  for (const { end, start } of parseSync(path, source).comments.toReversed()) {
    text = text.slice(0, start) + text.slice(end)
  }
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
}

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

const relativeImport = /(?:from\s*|import\(\s*|import\s+)["'](\.{1,2}\/[^"']+)["']/gu

/** Returns the declaration files that a declaration file imports from its own package. */
const importsOf = (path: string, source: string): ReadonlyArray<string> =>
  Array.from(source.matchAll(relativeImport), ([, specifier = ""]) =>
    posix.join(posix.dirname(path), specifier.replace(/\.[jt]s$/u, ".d.ts"))
  )

/**
 * Returns the public surface of a built package as one text: the declarations of its entries, and of all files of the
 * package that they import, without comments. The text changes only if the surface does.
 */
export const apiReport = ({ files, manifest }: Unpacked): string => {
  const targets = Object.values(manifest.exports ?? {}).flatMap(typesOf)
  const reached = new Map<string, ReadonlyArray<string>>()
  const queue = targets.flatMap((pattern) => [...files.keys()].filter((path) => matchesGlob(path, pattern)))
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const source = files.get(path)
    if (source === undefined || reached.has(path)) continue
    reached.set(path, withoutComments(path, source))
    queue.push(...importsOf(path, source))
  }
  const entries = Object.keys(manifest.exports ?? {}).toSorted()
  const parts = [...reached].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const earlier = new Set<string>()
  return [
    `${manifest.name}: ${entries.join(" ")}\n`,
    ...parts.map(
      ([path, lines]) => `// ${path.replace(/^dist\//u, "")}\n${withoutRepetition(lines, earlier).join("\n")}\n`
    )
  ].join("\n")
}

/** Returns the report of each public package that was built, by its file name. An internal package has none. */
export const apiReports = (): ReadonlyMap<string, string> =>
  new Map(
    publishedFolders().flatMap((folder) => {
      const home = join(root, folder)
      const manifest: Manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
      if (manifest.exports === undefined || manifest.internal === true) return []
      const declarations = globSync("dist/**/*.d.ts", { cwd: home })
      const files = new Map(declarations.map((path) => [path, readFileSync(join(home, path), "utf8")]))
      return [[`${manifest.name.replace("@webagent/", "")}.txt`, apiReport({ manifest, files })] as const]
    })
  )
