import { copyFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type InputOptions, type OutputOptions, type Plugin, type RolldownOutput, rolldown } from "rolldown"
import { root } from "./Root.ts"

/** Bundles an entry of this repository from source; writes it when it has a folder. */
export const bundle = async (input: InputOptions, output: OutputOptions): Promise<RolldownOutput> => {
  const conditionNames = ["@webagent/source", ...(input.platform === "node" ? ["node"] : []), "import", "default"]
  const built = await rolldown({ ...input, resolve: { conditionNames }, logLevel: "silent" })
  try {
    return await (output.dir === undefined ? built.generate(output) : built.write(output))
  } finally {
    await built.close()
  }
}

/** Makes a file of a bundle from text, with the imports of a real file in its place. */
export const written = (file: string, text: string): Plugin => ({
  name: "written",
  resolveId: (id) => (id === file ? file : undefined),
  load: (id) => (id === file ? text : undefined)
})

/** The file of a server that was bundled into a folder. */
export const serverIn = (folder: string): string => join(folder, "server.mjs")

/** Bundles the server of a version into a folder; code that it loads on demand, such as its docs page, stays apart. */
export const bundleServer = async (folder: string, source = root): Promise<string> => {
  await bundle(
    { input: join(source, "apps", "server", "src", "main.ts"), platform: "node" },
    { dir: folder, entryFileNames: "server.mjs", minify: true }
  )
  // all versions use the same Chromium, which isn't part of the bundle
  symlinkSync(join(root, "apps", "server", "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", imports: { "#main": "./server.mjs" } }))
  return serverIn(folder)
}

/** Bundles the server into a folder with the installed command next to it, which gives V8 its options; returns its file. */
export const installServer = async (folder: string): Promise<string> => {
  await bundleServer(folder)
  const file = join(folder, "webagent-server.js")
  copyFileSync(join(root, "apps", "server", "bin", "webagent-server.js"), file)
  return file
}
