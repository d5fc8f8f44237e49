import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

/** Dependencies of a user's project, with their ranges. */
export interface Dependencies {
  readonly dependencies: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

/** Options for running npm: the registry, the flags and the Node. */
export interface Npm {
  readonly registry: string
  /** npm's cache, so that a second install finds what the first one had. */
  readonly cache: string
  /** A project with packages that npm finds installed: it keeps those that are wanted, and removes the others. */
  readonly from?: string
  readonly flags?: ReadonlyArray<string>
  readonly env?: Record<string, string>
}

/** For what hangs: npm takes minutes on a machine with much else to do. */
const limit_s = 600

/** Installs packages with npm into a folder outside of the workspace, from a registry on this machine. */
export const installInto = async (folder: string, wanted: Dependencies, npm: Npm): Promise<void> => {
  const manifest = { name: "someone-elses-app", private: true, type: "module", ...wanted }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
  // npm takes seconds of CPU to write thousands of files, which links are spared
  if (npm.from !== undefined) await promisify(execFile)("cp", ["-al", join(npm.from, "node_modules"), folder])
  // settings of the user lead nowhere else, and what is asked of another host fails at once
  const own = [`--registry=${npm.registry}`, `--cache=${npm.cache}`, `--userconfig=${join(folder, ".npmrc")}`]
  const alone = ["--noproxy=127.0.0.1", "--proxy=http://127.0.0.1:9", "--https-proxy=http://127.0.0.1:9"]
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0"]
  const signal = AbortSignal.timeout(limit_s * 1000)
  const child = spawn("npm", ["install", ...own, ...alone, ...quiet, ...(npm.flags ?? [])], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...npm.env },
    signal
  })
  let printed = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text))
  const ended = await once(child, "close").catch(() => [`no end after ${limit_s} s`])
  if (ended[0] === 0) return
  const outputLines = printed.split("\n").map((line) => line.replace(/^npm error (?:\d+ +|code .*)?/u, "").trim())
  const why = signal.aborted ? `it took more than ${limit_s} s` : outputLines.find((line) => line !== "")
  const names = Object.keys({ ...wanted.dependencies, ...wanted.devDependencies }).join(", ")
  throw new Error(`npm could not install ${names}: ${why ?? "it said nothing"}`)
}

/** A program that a project has installed. */
export const installedBin = (project: string, name: string) => join(project, "node_modules", ".bin", name)

/** A server that a project runs. */
export interface Running {
  readonly address: string
  /** Stops it, and waits until it has exited. */
  readonly stop: () => Promise<void>
}

/** Starts the installed `webagent-server`, and waits until it prints its address. */
export const startServer = (project: string, args: ReadonlyArray<string>): Promise<Running> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [installedBin(project, "webagent-server"), ...args], { cwd: project })
    const stop = async () => {
      const exited = once(child, "exit")
      child.kill()
      await exited
    }
    let printed = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        printed += chunk.toString()
        const address = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0]
        if (address !== undefined) resolve({ address, stop })
      })
    }
    child.on("exit", () => reject(new Error(`webagent-server exited: ${printed}`)))
  })

/** A simulated service, as a project runs it. */
export interface Service extends Running {
  readonly apiKey: string
}

/** Starts the simulated service of the installed `webagent-server`. */
export const startService = async (project: string): Promise<Service> => {
  const apiKey = "wak_packed"
  return { ...(await startServer(project, ["simulate", "--port", "0", "--api-key", apiKey])), apiKey }
}
