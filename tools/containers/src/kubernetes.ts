/**
 * Builds an API server of Kubernetes and its database with Go, and keeps them: `npm run kubernetes`.
 * The versions are those of `tools/containers/kubernetes/go.mod`.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { root } from "./build/workspace.ts"
import { need, run } from "./Engine.ts"
import { Lacking } from "./Report.ts"

const home = join(root, "tools/containers/kubernetes")
const manifest = readFileSync(join(home, "go.mod"), "utf8")
const digest = createHash("sha256").update(manifest).digest("hex").slice(0, 16)
const cache = join(root, "node_modules/.cache/webagent-kubernetes", digest)

/** The packages that a program is built from. */
const sources = { "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver", etcd: "go.etcd.io/etcd/server/v3" }

/** Name of a program that the test needs. */
export type Program = keyof typeof sources

/** Returns the command of a program: one that was built here, or one on the PATH. */
export const findProgram = async (name: Program, folder: string = cache): Promise<string> => {
  const built = join(folder, name)
  if (existsSync(built)) return built
  if ((await run([name, "--version"])).code !== 127) return name
  throw new Lacking(
    `${name} is neither on the PATH nor built: with Go, "npm run kubernetes" builds it once, in about 10 minutes.`
  )
}

/** Builds the programs that a folder doesn't have. Throws `Lacking` without Go. */
export const buildPrograms = async (folder: string, signal: AbortSignal): Promise<void> => {
  const [, version = ""] = /k8s\.io\/kubernetes v(\S+)/u.exec(manifest) ?? []
  const [major, minor] = version.split(".")
  const stamp = Object.entries({ gitVersion: `v${version}`, gitMajor: major, gitMinor: minor })
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ")
  mkdirSync(folder, { recursive: true })
  for (const [name, source] of Object.entries(sources)) {
    const program = join(folder, name)
    if (existsSync(program)) continue
    if ((await run(["go", "version"])).code === 127)
      throw new Lacking(`${name} is built with Go, which is not on the PATH. Get it from https://go.dev/dl.`)
    const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", `-ldflags=-s -w ${stamp}`]
    const env = { CGO_ENABLED: "0", GOWORK: "off" }
    await need(["go", "-C", home, "build", ...flags, "-o", `${program}.part`, source], { env, signal })
    renameSync(`${program}.part`, program)
    process.stdout.write(`${program}\n`)
  }
}

if (import.meta.main) {
  const interrupted = new AbortController()
  for (const name of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(name, () => interrupted.abort())
  await buildPrograms(cache, interrupted.signal).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = error instanceof Lacking ? 4 : 1
  })
}
