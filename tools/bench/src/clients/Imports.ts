import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "../measure/Bundle.ts"

/** Cost of loading a module in a new process, in the order of the rounds. */
export interface Imported {
  readonly name: string
  readonly cpu_ms: ReadonlyArray<number>
  readonly took_ms: ReadonlyArray<number>
}

const packages = fileURLToPath(new URL("../../../../packages/", import.meta.url))

/** Our modules as they are installed: one file each, with effect beside them. */
const installOurs = async (folder: string, entry: string): Promise<string> => {
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  symlinkSync(fileURLToPath(new URL("../../node_modules/effect", import.meta.url)), join(folder, "node_modules/effect"))
  const { output } = await bundle(
    { input: join(packages, entry), platform: "neutral", external: /^effect\//u },
    { dir: folder, preserveModules: true, entryFileNames: "[name].mjs" }
  )
  return join(folder, output[0].fileName)
}

/** An entry as Node imports it: with all its code in one file, but for undici. */
const bundleOurs = async (folder: string, entry: string): Promise<string> => {
  await bundle(
    { input: join(packages, entry), platform: "node", external: ["undici"] },
    {
      dir: folder,
      entryFileNames: "bundled.mjs",
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } }
    }
  )
  return join(folder, "bundled.mjs")
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
export const measureImports = async (
  folder: string,
  installed: string,
  rounds: number
): Promise<ReadonlyArray<Imported>> => {
  const modules = [
    ["@webagent/v4, Node and others", await installOurs(join(folder, "v4"), "client/v4/src/index.ts")],
    ["@webagent/v4/promise, Node", await bundleOurs(join(folder, "bundled"), "client/v4/src/promise/index.ts")],
    ["@webagent/v4/promise, others", await installOurs(join(folder, "promise"), "client/v4/src/promise/index.ts")],
    ["browser-use-sdk/v4", join(installed, "node_modules/browser-use-sdk/dist/v4.js")]
  ] as const
  const imported = modules.map(([name, file]) => ({
    name,
    file,
    cpu_ms: [] as Array<number>,
    took_ms: [] as Array<number>
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
