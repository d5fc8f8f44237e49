import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type RolldownOutput, rolldown } from "rolldown"

const entry = fileURLToPath(new URL("../../../apps/server/src/main.ts", import.meta.url))

/** apps/server as it would be shipped: no package beside it to resolve. */
export interface ServerBundle {
  readonly file: string
  /** What is loaded at the start, without what is loaded on demand. */
  readonly size_kB: number
}

/** The bytes of a chunk and of all that it imports from the start. */
const sizeOf = (output: RolldownOutput["output"], name: string, seen = new Set<string>()): number => {
  const chunk = output.find(({ fileName }) => fileName === name)
  if (chunk?.type !== "chunk" || seen.has(name)) return 0
  seen.add(name)
  return chunk.imports.reduce((sum, other) => sum + sizeOf(output, other, seen), Buffer.byteLength(chunk.code))
}

/** Bundles the server into a folder; what it loads on demand only, such as its docs page, stays apart. */
export const bundleServer = async (folder: string): Promise<ServerBundle> => {
  const name = "server.mjs"
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] },
    logLevel: "silent"
  })
  const { output } = await bundle.write({ dir: folder, format: "esm", entryFileNames: name, minify: true })
  await bundle.close()
  return { file: join(folder, name), size_kB: Math.round(sizeOf(output, name) / 1000) }
}
