/** Starts the simulated service as its own process. You can use this with any test framework, and without Effect. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"

// the file that `npx webagent-server` runs; with npx, the signal to stop wouldn't reach the server
const program = createRequire(import.meta.url).resolve("webagent-server/bin/webagent-server.js")

export interface SimulatedService {
  /** Such as `http://127.0.0.1:41873/api/v4`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Sends a request to the control API, such as `("PUT", "/profile", { preset: "hostile" })`. */
  readonly control: <Result>(method: string, path: string, body?: unknown) => Promise<Result>
  /** Returns the app's mistakes, by oracle. */
  readonly violations: () => Promise<Record<string, string>>
  readonly stop: () => Promise<void>
}

interface Verdicts {
  readonly verdicts: ReadonlyArray<{ readonly oracle: string; readonly holds: boolean; readonly sentence: string }>
}

/** Starts a service on free ports, with more flags. */
export const startService = async (...flags: ReadonlyArray<string>): Promise<SimulatedService> => {
  const args = ["simulate", "--quiet", "--port", "0", "--control", "--control-key", "test-control", ...flags]
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  const exit = once(child, "exit")

  // the server prints a name and a value per line once it listens, the key last
  const printed = new Map<string, string>()
  for await (const line of createInterface(child.stdout)) {
    const [name = "", value = ""] = line.split(/\s+/u)
    printed.set(name, value)
    if (name === "key") break
  }
  const baseUrl = printed.get("v4")
  const address = printed.get("control")
  if (baseUrl === undefined || address === undefined) {
    throw new Error("The simulated service did not start: see its output above.")
  }

  const control: SimulatedService["control"] = async (method, path, body) => {
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { "Content-Type": "application/json", "X-Control-Key": "test-control" },
      body: body === undefined ? null : JSON.stringify(body)
    })
    const result = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(result)}`)
    return result
  }

  return {
    baseUrl,
    apiKey: "wak_test",
    control,
    violations: async () => {
      const { verdicts } = await control<Verdicts>("GET", "/verdicts")
      return Object.fromEntries(verdicts.flatMap((one) => (one.holds ? [] : [[one.oracle, one.sentence]])))
    },
    stop: async () => {
      child.kill()
      await exit
    }
  }
}
