import { copyFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type InputOptions, type OutputOptions, type RolldownOutput, rolldown } from "rolldown"
import { entry } from "./ServerProcess.ts"

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

/** apps/server as it would be shipped: no package beside it to resolve. */
interface ServerBundle {
  readonly file: string
  /** Size of the code that is loaded at startup, without code that is loaded on demand. */
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
export const bundleServer = async (folder: string, program = entry): Promise<ServerBundle> => {
  const name = "server.mjs"
  const { output } = await bundle(
    { input: program, platform: "node" },
    { dir: folder, entryFileNames: name, minify: true }
  )
  return { file: join(folder, name), size_kB: Math.round(sizeOf(output, name) / 1000) }
}

/** The installed command, which gives V8 its options. */
const command = fileURLToPath(new URL("../../../../apps/server/bin/webagent-server.js", import.meta.url))

/** Bundles the server into a folder with the installed command next to it; returns the command's file. */
export const installServer = async (folder: string): Promise<string> => {
  await bundleServer(folder)
  const file = join(folder, "webagent-server.js")
  copyFileSync(command, file)
  // Chromium isn't part of the bundle
  symlinkSync(
    fileURLToPath(new URL("../../../../apps/server/node_modules", import.meta.url)),
    join(folder, "node_modules")
  )
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", imports: { "#main": "./server.mjs" } }))
  return file
}
