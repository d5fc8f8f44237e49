import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundle, written } from "../measure/Bundle.ts"
import { root } from "../measure/Root.ts"
import { bundleImports, type Imports } from "./Imports.ts"
import { measureParts, measureSizes, type Part, type Sizes } from "./Sizes.ts"

/** The clients of a version: as the worker drives them, as programs import them, and their sizes. */
export interface Bundled {
  /** The module that the worker drives. */
  readonly ours: string
  readonly imports: Imports
  readonly sizes: ReadonlyArray<Sizes>
  /** Parts of `@webagent/v4`. */
  readonly parts: ReadonlyArray<Part>
}

const driver = join("tools", "bench", "src", "clients", "Ours.ts")

/** Bundles the clients of a version as one module. The text that drives them is the same for all versions. */
export const bundleOurs = async (folder: string, source = root): Promise<string> => {
  const input = join(source, driver)
  const plugins = [written(input, readFileSync(join(root, driver), "utf8"))]
  await bundle({ input, plugins, platform: "node", external: ["undici"] }, { dir: folder, entryFileNames: "ours.mjs" })
  return join(folder, "ours.mjs")
}

/** Bundles the clients of a version. Their undici is that of the peers, so all clients share it. */
export const bundleClients =
  (installed: string) =>
  async (folder: string, source: string): Promise<void> => {
    symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"))
    const bundled: Bundled = {
      ours: await bundleOurs(folder, source),
      imports: await bundleImports(folder, source),
      sizes: await measureSizes(source, installed),
      parts: await measureParts("@webagent/v4", source)
    }
    writeFileSync(join(folder, "clients.json"), JSON.stringify(bundled))
  }

/** The clients that were bundled into a folder. */
export const clientsIn = (folder: string): Bundled => JSON.parse(readFileSync(join(folder, "clients.json"), "utf8"))
