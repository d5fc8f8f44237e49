import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"

/** Returns a signal that aborts at SIGHUP, SIGINT or SIGTERM. npm forwards Ctrl-C, so it arrives twice. */
export const abortOnInterrupt = (): AbortSignal => {
  const controller = new AbortController()
  for (const name of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(name, () => controller.abort())
  return controller.signal
}

/** Stops all processes of a group. Kills those that are still there after 10 seconds. */
const stopGroup = async (group: number): Promise<void> => {
  try {
    for (let waited_ms = 0; waited_ms < 15_000; waited_ms += 50) {
      process.kill(-group, waited_ms < 10_000 ? "SIGTERM" : "SIGKILL")
      await sleep(50)
    }
  } catch {
    // there are none
  }
}

/**
 * Runs a program of Node, and throws if it fails. It gets a process group of its own, so that everything that it has
 * started is stopped at the end, or when `signal` aborts.
 */
export const runNode = async (
  args: ReadonlyArray<string>,
  { signal, ...options }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly signal: AbortSignal }
): Promise<void> => {
  signal.throwIfAborted()
  const child = spawn(process.execPath, args, { ...options, detached: true, stdio: ["ignore", "inherit", "inherit"] })
  try {
    const [code] = await once(child, "exit", { signal })
    if (code !== 0) throw new Error(`${args.join(" ")} exited with ${code}`)
  } finally {
    if (child.pid !== undefined) await stopGroup(child.pid)
  }
}
