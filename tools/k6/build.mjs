/**
 * Builds our k6 once and keeps it: `node tools/k6/build.mjs` ends with the path of the binary on standard output.
 * Plain Node 20 or later, no dependencies. Progress goes to standard error. Exit codes: 0, 1 when the build itself
 * fails, 4 when there is no Go that could do it.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const home = dirname(fileURLToPath(import.meta.url))
const extension = join(home, "..", "xk6-ts")
const defaultCache = join(home, "..", "..", "node_modules", ".cache", "webagent-k6")

/** k6 could not be had. `exitCode` is 4 without a fitting Go, else 1; the message is one sentence that says what to do. */
export class BuildK6Error extends Error {
  constructor(message, exitCode) {
    super(message)
    this.name = "BuildK6Error"
    this.exitCode = exitCode
  }
}

/**
 * Resolves to the path of a k6 that runs TypeScript, built first when its sources or the Go version changed.
 *
 * @param {{ log?: (line: string) => void, cache?: string, signal?: AbortSignal }} [options]
 * @returns {Promise<string>}
 */
export async function buildK6({ log = () => {}, cache = defaultCache, signal } = {}) {
  const manifest = readFileSync(join(home, "go.mod"), "utf8")
  const required = /^go (\S+)$/m.exec(manifest)[1]
  const version = /go\.k6\.io\/k6\/v2 v(\S+)/.exec(manifest)[1]

  const go = await goEnvironment(required, signal)
  const directory = join(cache, hashOf(go))
  const binary = join(directory, go.GOOS === "windows" ? "k6.exe" : "k6")
  if (existsSync(binary)) return binary

  const start = performance.now()
  log(`building k6 ${version} once (about two minutes) ...`)
  await download(go.GOPROXY, version, signal)
  mkdirSync(directory, { recursive: true })
  // Renamed when complete, so that no one, not even another build at the same time, finds half a binary.
  const unfinished = `${binary}.${process.pid}`
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"]
  const { code, stderr } = await run(["build", ...flags, "-o", unfinished, "."], signal)
  if (code !== 0) {
    rmSync(unfinished, { force: true })
    throw new BuildK6Error(`k6 ${version} did not build; Go said: ${stderr.trim()}`, 1)
  }
  renameSync(unfinished, binary)
  log(`built k6 ${version} in ${((performance.now() - start) / 1000).toFixed(0)} s, cached`)
  return binary
}

const downloadLimit_s = 120

/** Has Go fetch what the build needs, which it does not do again: no network that hangs holds the build up. */
async function download(proxy = "its module proxy", version, signal) {
  const limit = AbortSignal.timeout(downloadLimit_s * 1000)
  const { code, stderr } = await run(
    ["list", "-deps", "."],
    signal === undefined ? limit : AbortSignal.any([signal, limit])
  ).catch((error) => {
    if (!limit.aborted) throw error
    return { code: 1, stderr: `no end after ${downloadLimit_s} s` }
  })
  if (code === 0) return
  const [why] = stderr.trim().split("\n").slice(-1)
  throw new BuildK6Error(
    `The Go modules of k6 ${version} cannot be had from ${proxy} (${why}); check the network and GOPROXY.`,
    1
  )
}

/** Asks in this folder, so that a Go that fetches newer ones by itself has done so before it answers. */
async function goEnvironment(required, signal) {
  const advice = `k6 needs Go ${required} or later to be built: get it from https://go.dev/dl, or from your package manager`
  const { code, stdout } = await run(["env", "-json", "GOVERSION", "GOOS", "GOARCH", "GOPROXY"], signal)
  if (code === undefined) throw new BuildK6Error(`There is no Go on the PATH. ${advice}.`, 4)
  const go = code === 0 ? JSON.parse(stdout) : undefined
  if (go === undefined || olderThan(go.GOVERSION, required)) {
    throw new BuildK6Error(`The Go on the PATH is too old${go ? ` (${go.GOVERSION})` : ""}. ${advice}.`, 4)
  }
  return go
}

function olderThan(version, required) {
  const numbers = (text) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? "0").split(".").map(Number)
  const [have, need] = [numbers(version), numbers(required)]
  for (const [index, part] of need.entries()) if ((have[index] ?? 0) !== part) return (have[index] ?? 0) < part
  return false
}

function hashOf(go) {
  const hash = createHash("sha256").update(`${go.GOVERSION} ${go.GOOS} ${go.GOARCH}\n`)
  for (const folder of [home, extension]) {
    for (const name of readdirSync(folder).toSorted()) {
      const isSource = name.endsWith(".go") && !name.endsWith("_test.go")
      if (!isSource && name !== "go.mod" && name !== "go.sum") continue
      hash.update(`${basename(folder)}/${name}\n`).update(readFileSync(join(folder, name)))
    }
  }
  return hash.digest("hex").slice(0, 16)
}

/** `code` is undefined when there is no such program. */
function run(args, signal) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off" }
    const child = spawn("go", args, { cwd: home, env, signal, stdio: ["ignore", "pipe", "pipe"] })
    const output = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => (output[name] += text))
    child.on("error", (error) => (error.code === "ENOENT" ? resolve({ code: undefined, ...output }) : reject(error)))
    child.on("close", (code) => resolve({ code, ...output }))
  })
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildK6({ log: (line) => console.error(line) }))
  } catch (error) {
    if (!(error instanceof BuildK6Error)) throw error
    console.error(error.message)
    process.exitCode = error.exitCode
  }
}
