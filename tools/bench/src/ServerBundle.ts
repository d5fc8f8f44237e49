import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const entry = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url))

/** apps/server as one file with nothing beside it to resolve, the way one would ship it. */
export interface ServerBundle {
  readonly file: string
  readonly size_kB: number
}

/** Bundles the server into a folder; what it loads on demand only, its docs page, stays a file of its own. */
export const bundleServer = async (folder: string): Promise<ServerBundle> => {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] },
    logLevel: "silent"
  })
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "server.mjs", minify: true })
  await bundle.close()
  const file = join(folder, "server.mjs")
  return { file, size_kB: Math.round(statSync(file).size / 1000) }
}
