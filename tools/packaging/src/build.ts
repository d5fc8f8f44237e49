/** Builds the `dist` of every published package: `npm run build`. */
import { execFile } from "node:child_process"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundleForNode } from "./NodeBundles.ts"
import { type Manifest, publishedFolders, root } from "./Package.ts"

const run = promisify(execFile)

/** A package resolves its own `imports` only from a configuration in its folder. */
const configOf = (folder: string) => join(root, folder, "tsconfig.build.json")

const remove = (path: string) => rmSync(path, { recursive: true, force: true })

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

/** Returns the compiler configuration of each package. It sees only the declarations of other packages, like a user. */
const configurations = (folders: ReadonlyArray<string>) => {
  const packages = folders.map((folder) => {
    const manifest = manifestOf(folder)
    return { folder, manifest, needs: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }) }
  })
  return packages.map(({ folder, manifest, needs }) => {
    // a program without exports has no declarations
    const declaration = manifest.exports !== undefined
    return {
      path: configOf(folder),
      options: {
        extends: relative(join(root, folder), join(root, "tsconfig.base.json")),
        compilerOptions: {
          composite: declaration,
          declaration,
          declarationMap: declaration,
          customConditions: [],
          rootDir: "src",
          outDir: "dist",
          ...(declaration ? { tsBuildInfoFile: "node_modules/.cache/build.tsbuildinfo" } : {})
        },
        include: ["src"],
        references: packages
          .filter((other) => needs.includes(other.manifest.name))
          .map((other) => ({ path: configOf(other.folder) }))
      }
    }
  })
}

/** Builds every published package. One run of the compiler reads effect once, and not for each of them. */
export const build = async (): Promise<void> => {
  const folders = publishedFolders()
  // nothing of an earlier build stays
  for (const folder of folders)
    for (const old of ["dist", "node_modules/.cache/build.tsbuildinfo"]) remove(join(root, folder, old))
  const configured = configurations(folders)
  try {
    for (const { options, path } of configured) writeFileSync(path, JSON.stringify(options))
    // parallel checks write the members of a union in any order, and an API report would change with it
    await run(join(root, "node_modules", ".bin", "tsc"), ["--build", "--singleThreaded", ...folders.map(configOf)], {
      cwd: root
    })
  } catch (error) {
    const output = (error as { readonly stdout?: string }).stdout
    throw new Error(`The packages do not compile.\n${output ?? String(error)}`, { cause: error })
  } finally {
    for (const { path } of configured) remove(path)
  }
  for (const folder of folders) await bundleForNode(join(root, folder), manifestOf(folder))
  await run(process.execPath, [join(root, "packages/harness/load/bundle.mjs")])
  await run(process.execPath, [join(root, "tools/workspace/console.mjs"), "build"])
  await run(process.execPath, [join(root, "tools/workspace/console.mjs"), "build", "harness"])
  // users of the server and the harness install no part of the console's sources
  const pages = {
    dist: "packages/service/server/dist/web",
    "dist-harness": "apps/harness/dist/web",
    "dist-export": "apps/harness/dist/export"
  }
  for (const [from, to] of Object.entries(pages)) {
    cpSync(join(root, "apps/console", from), join(root, to), {
      recursive: true,
      filter: (path) => !/\/(?:\.built|\.vite)$/u.test(path)
    })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build()
