import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Command } from "./Pinning.ts"
import { cpuOf_s } from "./Processes.ts"
import { root } from "./Root.ts"

/** A server under measurement. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** From the start of the process until its first good answer. */
  readonly started_ms: number
  /** The body of that answer. */
  readonly firstAnswer: string
  /** CPU time that the process has used, user and system, all threads. */
  readonly cpu_s: () => number
  /** Memory that it holds now. */
  readonly rss_MB: () => number
  /** Kills it, or ends it with another signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** The request whose first 2xx says that a server is there. */
interface Probe {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The arguments with which Node runs our server from its source. */
export const fromSource: ReadonlyArray<string> = [
  "--conditions=@webagent/source",
  join(root, "apps", "server", "src", "main.ts")
]

/** The key that every server takes. */
export const apiKey = "wak_bench"

/** Asks our server whether it is there, for one that is not to do anything else. */
export const readHealth: Probe = { method: "GET", path: "/health", headers: {} }

/** Creates a run, for servers that can. */
export const createRun: Probe = {
  method: "POST",
  path: "/api/v4/runs",
  headers: { "x-service-api-key": apiKey, "content-type": "application/json" },
  body: JSON.stringify({ task: "Find a red mug" })
}

const lastLines = 5

/** A free port. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** The body of a 2xx, or undefined while there is none. */
const ask = (url: string, probe: Probe): Promise<string | undefined> =>
  new Promise((resolve) => {
    const outgoing = request(
      `${url}${probe.path}`,
      { method: probe.method, headers: probe.headers, agent: false },
      (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.once("error", () => resolve(undefined))
        answer.once("end", () => resolve(Math.floor((answer.statusCode ?? 0) / 100) === 2 ? text : undefined))
      }
    )
    outgoing.once("error", () => resolve(undefined))
    outgoing.end(probe.body)
  })

const stopOf = (child: ChildProcess) => {
  // a bench that is ended does not leave its servers behind
  const kill = () => child.kill("SIGKILL")
  process.on("exit", kill)
  const gone = new Promise<void>((resolve) =>
    child.once("exit", () => {
      process.off("exit", kill)
      resolve()
    })
  )
  return (signal: NodeJS.Signals = "SIGKILL") => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    else return Promise.resolve()
    return gone
  }
}

const timeout_ms = 120_000

/** Starts a server on a free port and asks every 2 ms until it answers; throws with its last words if it ends or stays silent. */
export const startServer = async (command: (port: number) => Command, probe: Probe): Promise<ServerProcess> => {
  const port = await freePort()
  const { args, file } = command(port)
  const url = `http://127.0.0.1:${port}`
  const start = performance.now()
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"] })
  const words: Array<string> = []
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    words.push(chunk)
    if (words.length > lastLines) words.shift()
  })
  let failure: Error | undefined
  child.once("error", (error) => (failure = error))
  const stop = stopOf(child)

  for (;;) {
    const firstAnswer = await ask(url, probe)
    if (firstAnswer !== undefined) {
      const started_ms = performance.now() - start
      const pid = child.pid ?? 0
      return {
        url,
        pid,
        started_ms,
        firstAnswer,
        cpu_s: () => cpuOf_s(pid),
        rss_MB: () => Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
        stop
      }
    }
    if (failure !== undefined) throw failure
    const silent = performance.now() - start > timeout_ms
    if (child.exitCode !== null || silent) {
      await stop()
      throw new Error(`${silent ? "It never answered" : `It ended with ${child.exitCode}`}: ${words.join("").trim()}`)
    }
    await sleep(2)
  }
}

/** Starts our server, from source or from a bundle, on a free port and with the key. */
export const startOurs = (
  program: ReadonlyArray<string>,
  flags: ReadonlyArray<string>,
  { inspect = (command: Command) => command, probe = createRun } = {}
): Promise<ServerProcess> =>
  startServer(
    (port) =>
      inspect({ file: process.execPath, args: [...program, "--port", String(port), "--api-key", apiKey, ...flags] }),
    probe
  )
