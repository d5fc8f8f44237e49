import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../measure/Bundle.ts"

const entry = fileURLToPath(new URL("Ours.ts", import.meta.url))

/** Our clients as one module in a folder below the peers, for their undici is the one that all share. */
export const bundleOurs = async (folder: string): Promise<string> => {
  await bundle({ input: entry, platform: "node", external: ["undici"] }, { dir: folder, entryFileNames: "ours.mjs" })
  return join(folder, "ours.mjs")
}
