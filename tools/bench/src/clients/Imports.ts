import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { bundle } from "../measure/Bundle.ts"
import { exportsOf } from "./Exports.ts"

/** Cost of loading a module in a new process, in the order of the rounds. */
export interface Imported {
  readonly name: string
  readonly cpu_ms: ReadonlyArray<number>
  readonly took_ms: ReadonlyArray<number>
}

/** Entries by their names in the report, with the file that is imported. */
export type Imports = Readonly<Record<string, string>>

/** An entry as it's installed, with all modules that it loads, each a file. */
const asModules = async (folder: string, input: string): Promise<string> => {
  const { output } = await bundle(
    // a module that Node loads without using it costs time, too
    { input, platform: "neutral", external: /^(?:node:|undici$)/u, treeshake: false },
    { dir: folder, preserveModules: true, entryFileNames: "[name].mjs" }
  )
  return join(folder, output[0].fileName)
}

/** An entry with all its code in one file, but for undici. */
const asFile = async (folder: string, input: string): Promise<string> => {
  await bundle(
    { input, platform: "node", external: ["undici"] },
    {
      dir: folder,
      entryFileNames: "bundled.mjs",
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
    }
  )
  return join(folder, "bundled.mjs")
}

/** Makes the files that programs import from a version of `@webagent/v4`. */
export const bundleImports = async (folder: string, source: string): Promise<Imports> => {
  const entry = (...path: ReadonlyArray<string>) => join(source, "packages", "client", "v4", "src", ...path, "index.ts")
  const promise = await asModules(join(folder, "promise"), entry("promise"))
  // versions before 2026-11-30 have no bundle for Node
  const isBundled = "node" in (exportsOf(source, "v4")["./promise"] ?? {})
  return {
    "@webagent/v4, Node and others": await asModules(join(folder, "v4"), entry()),
    "@webagent/v4/promise, Node": isBundled ? await asFile(join(folder, "node"), entry("promise")) : promise,
    "@webagent/v4/promise, others": promise
  }
}

const program = `
const cpu = process.cpuUsage(), began = performance.now()
await import(process.argv[1])
const { system, user } = process.cpuUsage(cpu)
process.stdout.write(JSON.stringify({ cpu_ms: (system + user) / 1000, took_ms: performance.now() - began }))
`

const load = (file: string) => {
  const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program, file], {
    encoding: "utf8"
  })
  if (stdout === "") throw new Error(`${file} cannot be imported: ${stderr}`)
  return JSON.parse(stdout) as { readonly cpu_ms: number; readonly took_ms: number }
}

/** Cold imports, interleaved. */
export const measureImports = (imports: Imports, rounds: number): ReadonlyArray<Imported> => {
  const imported = Object.entries(imports).map(([name, file]) => ({
    name,
    file,
    cpu_ms: Array<number>(),
    took_ms: Array<number>()
  }))
  // the first round fills the caches of the disk
  for (let round = 0; round <= rounds; round++) {
    for (const { cpu_ms, file, took_ms } of imported) {
      const loaded = load(file)
      if (round === 0) continue
      cpu_ms.push(loaded.cpu_ms)
      took_ms.push(loaded.took_ms)
    }
  }
  return imported.map(({ cpu_ms, name, took_ms }) => ({ name, cpu_ms, took_ms }))
}
