/**
 * Makes one program of the server and its dependencies: `node server.ts FOLDER`. It has a tenth of the size of an
 * installed package and starts in a third of the time. Modules that the server imports on demand stay separate files.
 */
import { execFileSync } from "node:child_process"
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { root, sbomOf } from "./workspace.ts"

/** V8 accepts compiled code only from a process with the same options, so the image starts the server with these. */
export const nodeOptions: ReadonlyArray<string> = ["--max-semi-space-size=8", "--heap-growing-percent=100"]

/** Packages that a process of their own loads by their address, which a bundle doesn't have. They need no others. */
export const separate: ReadonlyMap<string, string> = new Map([["unpdf", "packages/service/agent/src/page/PdfText.ts"]])

/** Returns the folder of the installed package that a file belongs to. */
const packageOf = (path: string): string | undefined =>
  /^.*\/node_modules\/\.pnpm\/[^/]+\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0]

/** Returns the licenses of bundled packages as one text. */
const noticesOf = (folders: ReadonlyArray<string>): string =>
  folders
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry))
      return `${name} ${version}: ${license}\n\n${file === undefined ? "" : readFileSync(join(folder, file), "utf8")}`
    })
    .join(`\n${"-".repeat(72)}\n`)

/** Copies a package that isn't bundled into `node_modules`, and returns the folder from which it was copied. */
const copySeparate = (folder: string, name: string, importer: string): string => {
  const source = packageOf(createRequire(join(root, importer)).resolve(name))
  if (source === undefined) throw new Error(`${name} is not installed`)
  const place = join(folder, "node_modules", name)
  mkdirSync(dirname(place), { recursive: true })
  cpSync(source, place, { recursive: true, dereference: true, filter: (path) => !/\.(?:[cm]?ts|map|md)$/u.test(path) })
  return source
}

/** Bundles the server into a folder. The screens of the console have to be built. */
export const bundleServer = async (folder: string): Promise<void> => {
  const app = join(folder, "app")
  const bundle = await rolldown({
    input: { "webagent-server": join(root, "apps/server/src/main.ts") },
    platform: "node",
    // the image has the browser itself
    external: /^@sparticuz\/chromium/u,
    resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] },
    checks: { invalidAnnotation: false, ineffectiveDynamicImport: false },
    logLevel: "warn"
  })
  const { output } = await bundle.write({
    dir: app,
    entryFileNames: "[name].mjs",
    // next to each other, because modules find the console from where they are
    chunkFileNames: "[name]-[hash].mjs",
    comments: { legal: true },
    // with the names of functions, so that a stack can be read
    minify: { compress: true, codegen: true, mangle: false }
  })
  await bundle.close()
  cpSync(join(root, "apps/console/dist"), join(folder, "web"), {
    recursive: true,
    filter: (path) => !/\/(?:\.built|\.vite)$/u.test(path)
  })
  const separates = [...separate].map(([name, importer]) => copySeparate(folder, name, importer))
  const bundled = output
    .flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
    .flatMap((id) => packageOf(id) ?? [])
  writeFileSync(join(folder, "NOTICES"), noticesOf([...new Set([...bundled, ...separates])].toSorted()))
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  writeFileSync(join(folder, "sbom.cdx.json"), sbomOf("webagent-server"))
  // here, because the root of a container may be read-only
  execFileSync(process.execPath, [...nodeOptions, join(app, "webagent-server.mjs"), "serve", "--help"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled"), NODE_COMPILE_CACHE_PORTABLE: "1" }
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleServer(process.argv[2] ?? "dist")
