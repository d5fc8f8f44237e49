import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join, posix } from "node:path"
import { type Rule } from "./arrows.ts"
import { cycleOf } from "./Cycle.ts"
import { importsOf } from "./Imports.ts"
import { type Package, packages } from "./Tree.ts"

const table = "tools/arrows/src/arrows.ts"

/** The folder of `src` that a file is in, `"."` for the files of `src` itself; undefined outside of `src`. */
const folderOf = (file: string): string | undefined =>
  file.startsWith("src/") ? posix.relative("src", posix.dirname(file)) || "." : undefined

/** `@scope/name/sub` and `name/sub` as the package that they are of. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Returns whether a registry package, or its types, is declared. */
const declares = (declared: ReadonlySet<string>, name: string): boolean =>
  declared.has(name) || declared.has(`@types/${name.replace(/^@(.+)\//u, "$1__")}`)

const listed = (folders: ReadonlyArray<string>): string =>
  folders.length === 0 ? "nothing of ours" : folders.join(", ")

/**
 * Holds the sources below `root` to `rules`. Answers with one line for each violation, file and line first; an empty
 * list where every arrow holds.
 */
export const check = (root: string, rules: Readonly<Record<string, Rule>>): ReadonlyArray<string> => {
  const all = packages(root)
  const byName = new Map(all.map((one) => [one.name, one]))
  const violations: Array<string> = []
  const used = new Set<string>()
  const use = (from: string, to: string) => used.add(`${from} -> ${to}`)

  for (const folder of Object.keys(rules))
    if (!all.some((one) => one.folder === folder))
      violations.push(`${table}: there is no package ${folder}. Remove it.`)

  const fromPackage = (one: Package, rule: Rule, to: string, place: string, inSource: boolean): void => {
    if (to === one.folder) return
    const { imports, tests = [] } = rule
    use(inSource ? `${one.folder}/src` : one.folder, to)
    if (imports.includes(to) || (!inSource && tests.includes(to))) return
    violations.push(
      tests.includes(to)
        ? `${place} imports ${to}, which only tests of ${one.folder} may import (${table}).`
        : `${place} imports ${to}. ${one.folder} may import ${listed(imports)} (${table}).`
    )
  }

  for (const one of all) {
    const rule = rules[one.folder]
    if (rule === undefined) {
      violations.push(`${one.folder} has no entry in ${table}. Add one.`)
      continue
    }
    const { folders = { ".": [] } } = rule
    const between = new Map<string, Set<string>>()
    for (const file of one.files) {
      const path = posix.join(one.folder, file)
      const folder = folderOf(file)
      const inSource = folder !== undefined
      if (inSource && !between.has(folder)) between.set(folder, new Set())

      for (const { line, specifier } of importsOf(path, readFileSync(join(root, path), "utf8"))) {
        const place = `${path}:${line}`
        const inside = specifier.startsWith("#")
          ? (one.subpaths.get(specifier) ?? [])
          : specifier.startsWith(".")
            ? [posix.join(posix.dirname(file), specifier)]
            : undefined
        if (inside === undefined) {
          const name = packageOf(specifier)
          const ours = byName.get(name)
          if (ours !== undefined) fromPackage(one, rule, ours.folder, place, inSource)
          if (isBuiltin(specifier) || name === "k6" || ours === one) continue
          if (declares(one.dependencies, name) || (!inSource && declares(one.devDependencies, name))) continue
          violations.push(`${place} imports ${name}, which ${one.folder}/package.json does not declare.`)
          continue
        }
        for (const target of inside) {
          // a subpath may lead to built files and to none of ours
          if (specifier.startsWith("#") && !posix.normalize(target).startsWith("src/")) continue
          if (posix.normalize(target).startsWith("..")) {
            violations.push(`${place} imports ${specifier}. Import another package by its public entry.`)
            continue
          }
          if (!inSource) continue
          const to = folderOf(posix.normalize(target))
          if (to === undefined) violations.push(`${place} imports ${specifier}. Files in src import files in src only.`)
          else if (to !== folder) {
            between.get(folder)?.add(to)
            use(`${one.folder}/src/${folder}`, to)
            if (folders[folder] !== undefined && !folders[folder].includes(to))
              violations.push(
                `${place} imports ${specifier}. ${one.folder}/src: ${folder} may import ${listed(folders[folder])} (${table}).`
              )
          }
        }
      }
    }

    for (const folder of between.keys())
      if (folders[folder] === undefined)
        violations.push(`${one.folder}/src/${folder} has no entry in ${table}. Add one.`)
    for (const [folder, targets] of Object.entries(folders)) {
      if (rule.folders !== undefined && !between.has(folder))
        violations.push(`${table}: ${one.folder}/src has no folder ${folder}. Remove it.`)
      for (const to of targets)
        if (!used.has(`${one.folder}/src/${folder} -> ${to}`))
          violations.push(`${table}: in ${one.folder}/src, ${folder} never imports ${to}. Remove the arrow.`)
    }
    const cycle = cycleOf(new Map(Object.entries(folders)))
    if (cycle !== undefined) violations.push(`${one.folder}/src has a cycle of folders: ${cycle.join(" -> ")}.`)
    for (const to of rule.imports)
      if (!used.has(`${one.folder}/src -> ${to}`))
        violations.push(
          used.has(`${one.folder} -> ${to}`)
            ? `${table}: only tests of ${one.folder} import ${to}. Move the arrow to its tests.`
            : `${table}: ${one.folder} never imports ${to}. Remove the arrow.`
        )
    for (const to of rule.tests ?? [])
      if (!used.has(`${one.folder} -> ${to}`))
        violations.push(`${table}: no test of ${one.folder} imports ${to}. Remove the arrow.`)
  }

  const cycle = cycleOf(new Map(Object.entries(rules).map(([folder, { imports }]) => [folder, imports])))
  if (cycle !== undefined) violations.push(`${table} has a cycle of packages: ${cycle.join(" -> ")}.`)
  return violations
}
