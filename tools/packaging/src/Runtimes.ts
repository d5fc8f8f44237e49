import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { delimiter, join } from "node:path"
import { root } from "./Package.ts"

const require = createRequire(import.meta.url)

/** A file of a package that is installed on some platforms only. */
const fileOf = (specifier: string): string | undefined => {
  try {
    return require.resolve(specifier)
  } catch {
    return undefined
  }
}

const isArm = process.arch === "arm64"

/** Bun, on Linux with glibc. */
export const bun = fileOf(`@oven/bun-linux-${isArm ? "aarch64" : "x64"}/bin/bun`)

/** Deno, on Linux with glibc. */
export const deno = fileOf(`@deno/linux-${isArm ? "arm64" : "x64"}-glibc/deno`)

/** workerd takes 155 MB, so it is the one that `WEBAGENT_WORKERD` names, or none. */
export const workerd = process.env["WEBAGENT_WORKERD"]

/** The folder of a Node 20 on the PATH; that of the workspace is not one. */
export const node20 = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => folder !== "" && !folder.startsWith(root))
  .find((folder) => spawnSync(join(folder, "node"), ["--version"], { encoding: "utf8" }).stdout?.startsWith("v20."))
