import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const entry = fileURLToPath(new URL("Ours.ts", import.meta.url))

/** Our clients as one module in a folder below the peers, for their undici is the one that all share. */
export const bundleOurs = async (folder: string): Promise<string> => {
  const bundle = await rolldown({
    input: entry,
    platform: "node",
    external: ["undici"],
    resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] },
    logLevel: "silent"
  })
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "ours.mjs", minify: false })
  await bundle.close()
  return join(folder, "ours.mjs")
}
