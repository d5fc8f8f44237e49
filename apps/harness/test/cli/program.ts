import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** What a run of the real program wrote and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  /** Resolves when stdout has this text; rejects when the program ends before. */
  readonly says: (text: string) => Promise<string>
  /** The same for stderr. */
  readonly complains: (text: string) => Promise<string>
  readonly signal: (signal: NodeJS.Signals) => void
}

/** Of this process's environment, what changes nothing: the last one is where `npm test` keeps modules compiled. */
const inherited = Object.fromEntries(["PATH", "HOME", "NODE_COMPILE_CACHE"].map((name) => [name, process.env[name]]))

const running = new Set<ChildProcess>()

// a test that fails leaves none behind
afterAll(() => {
  for (const child of running) child.kill()
})

/** Starts the real program as its users do. */
export const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, cwd = root): Started => {
  const child = spawn(process.execPath, ["--conditions=@webagent/source", join(root, "src/main.ts"), ...args], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  running.add(child)
  child.once("close", () => running.delete(child))
  let stdout = ""
  let stderr = ""
  const listeners = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    for (const listener of listeners) listener()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    for (const listener of listeners) listener()
  })
  const ended = new Promise<Ended>((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })))
  const waitFor = (output: () => string) => (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (output().includes(text)) resolve(output())
      }
      listeners.add(look)
      look()
      void ended.then(({ code }) => reject(new Error(`ended with ${code} before it said "${text}": ${stderr}`)))
    })
  return {
    pid: child.pid,
    ended,
    says: waitFor(() => stdout),
    complains: waitFor(() => stderr),
    signal: (signal) => child.kill(signal)
  }
}

/** Runs the real program to its end, in its own folder unless told. */
export const run = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>, cwd?: string) =>
  start(args, env, cwd).ended
