import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import type { Manifest } from "./Package.ts"

/** The folder of a package's bundles, from the folder of the package. */
const destination = "dist/node"

/** Returns the entries that have a bundle for Node, as the file of the bundle and the module that it contains. */
const entriesOf = ({ exports = {} }: Manifest): Record<string, string> =>
  Object.fromEntries(
    Object.values(exports).flatMap((target) => {
      if (target === null || typeof target === "string") return []
      const { default: module, node } = target
      return typeof node === "string" && typeof module === "string" && node.startsWith(`./${destination}/`)
        ? [[node.slice(`./${destination}/`.length), module]]
        : []
    })
  )

/** Leads from our bundled code to its TypeScript, by the source maps of the compiler. */
const ourSources: Plugin = {
  name: "our-sources",
  load: (id) =>
    id.includes("/node_modules/") || !existsSync(`${id}.map`)
      ? undefined
      : { code: readFileSync(id, "utf8"), map: readFileSync(`${id}.map`, "utf8") }
}

/**
 * Returns a source of a source map as it is reached once packages are installed next to each other. In the workspace,
 * they are in other folders.
 */
const installedSource = (folder: string, name: string) => (source: string, map: string) => {
  const path = join(dirname(map), source)
  const [, inPackage] = /^.*\/node_modules\/(.+)$/u.exec(path) ?? []
  const [, ours, file] = /\/([^/]+)\/(src\/.+)$/u.exec(path) ?? []
  const installed = inPackage ?? `@webagent/${ours}/${file}`
  return posix.relative(join("/", name, posix.relative(folder, dirname(map))), join("/", installed))
}

/** Returns the licenses of the packages that are not ours, which their copies have to carry. */
const licensesOf = (modules: Iterable<string>): string => {
  const folders = new Set(Array.from(modules, (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(id)?.[0] ?? ""))
  return [...folders]
    .filter((folder) => folder !== "")
    .toSorted()
    .map((folder) => {
      const { license, name, version }: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      return `${name} ${version}, ${license}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`
    })
    .join("\n---\n\n")
}

/**
 * Bundles the entries of a built package whose exports have one under the condition `node`, so that Node reads a few
 * files and not hundreds. Entries of a package share their code, and undici stays a package that is loaded when needed.
 */
export const bundleForNode = async (folder: string, manifest: Manifest): Promise<void> => {
  const entries = entriesOf(manifest)
  if (Object.keys(entries).length === 0) return
  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(Object.entries(entries).map(([file, module]) => [file.replace(/\.js$/u, ""), module])),
    platform: "node",
    external: ["undici"],
    resolve: { conditionNames: ["node", "import", "default"] },
    plugins: [ourSources],
    logLevel: "warn"
  })
  const { output } = await bundle.write({
    dir: join(folder, destination),
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    sourcemap: true,
    sourcemapExcludeSources: true,
    sourcemapPathTransform: installedSource(folder, manifest.name),
    // names stay, because errors and stacks show them
    keepNames: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
  })
  await bundle.close()
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
  writeFileSync(join(folder, destination, "LICENSES.txt"), licensesOf(modules))
}
