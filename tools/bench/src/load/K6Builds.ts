import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Mistake } from "../measure/Mistake.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const tools = join(root, "tools", "k6")

const program = `package main

import k6cmd "go.k6.io/k6/v2/cmd"

func main() { k6cmd.Execute() }
`

/** The go.mod of k6 without our extension, from ours: the same versions of everything. */
export const stockModule = (ours: string): string =>
  ours
    .split("\n")
    .filter((line) => !line.includes("webagent.invalid/xk6-ts"))
    .join("\n")
    .replace(/^module .*$/mu, "module webagent.invalid/stock-k6")

/** Our k6, built when it has to be: its path. */
export const ourK6 = (log: (line: string) => void): string => {
  const { error, status, stderr, stdout } = spawnSync(process.execPath, [join(tools, "build.mjs")], {
    encoding: "utf8"
  })
  if (error !== undefined || status !== 0) throw new Mistake((stderr ?? String(error)).trim())
  if (stderr.trim() !== "") log(stderr.trim())
  return stdout.trim()
}

/** k6 as its makers have it, of the same version and with the same flags, built once: its path. */
export const stockK6 = (log: (line: string) => void): string => {
  const manifest = stockModule(readFileSync(join(tools, "go.mod"), "utf8"))
  const sums = readFileSync(join(tools, "go.sum"), "utf8")
  const hash = createHash("sha256").update(manifest).update(sums).digest("hex").slice(0, 16)
  const folder = join(root, "node_modules", ".cache", "webagent-k6-stock", hash)
  const binary = join(folder, "k6")
  if (existsSync(binary)) return binary
  log("building stock k6 once (about two minutes, less after ours) ...")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "go.mod"), manifest)
  writeFileSync(join(folder, "go.sum"), sums)
  writeFileSync(join(folder, "main.go"), program)
  // -mod=mod: what only our extension needs is still listed
  const flags = ["-mod=mod", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", binary]
  const { error, status, stderr } = spawnSync("go", ["build", ...flags, "."], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0", GOWORK: "off" }
  })
  if (error !== undefined)
    throw new Mistake(`Stock k6 needs Go to be built (${error.message}): get it from https://go.dev/dl`)
  if (status !== 0) throw new Mistake(`Stock k6 did not build; Go said: ${stderr.trim()}`)
  return binary
}

/** The version that a k6 says it has. */
export const versionOf = (k6: string): string =>
  / (v\S+) /u.exec(spawnSync(k6, ["version"], { encoding: "utf8" }).stdout)?.[1] ?? "?"
