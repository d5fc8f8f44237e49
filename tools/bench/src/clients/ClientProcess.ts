import { spawn } from "node:child_process"
import { join } from "node:path"
import type { Command, Pinning } from "../measure/Pinning.ts"

/** Work of a client, by the name of its column. */
export type Work = "create" | "status" | "get" | "run"

/** A window of calls, one after the other in each of some loops. */
interface Called {
  readonly calls: number
  /** CPU time of the client's process, user and system, all threads. */
  readonly cpu_us: number
  readonly took_ms: number
}

/** Memory of a process after a garbage collection. */
export interface Memory {
  readonly heap_MB: number
  readonly rss_MB: number
}

/** A process with one client in it. */
export interface ClientProcess {
  readonly call: (work: Work, concurrency: number, duration_ms: number) => Promise<Called>
  /** Begins to wait for runs; how they end is told later. */
  readonly wait: (ids: ReadonlyArray<string>) => Promise<void>
  readonly memory: () => Promise<Memory>
  /** Delays between the finish of a run and that of each wait for it, in milliseconds. */
  readonly delays_ms: ReadonlyArray<number>
  /** Failures of waits. */
  readonly failures: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** Location of a client, and the server that it calls. */
export interface Start {
  readonly name: string
  readonly module: string
  /** The folder of the peers, where the worker is. */
  readonly installed: string
  readonly url: string
  readonly apiKey: string
  readonly polls: number
}

type Told = { readonly ended: number } | { readonly failed: string } | { readonly result: unknown }

/** Starts a client on the core of the load. */
export const startClient = async (
  { installed, module, ...settings }: Start,
  pinning: Pinning
): Promise<ClientProcess> => {
  const worker: Command = {
    file: process.execPath,
    args: [join(installed, "client-worker.mjs"), module, JSON.stringify(settings)]
  }
  const { args, file } = pinning.onLoadCore(worker)
  const child = spawn(file, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const delays_ms: Array<number> = []
  const failures: Array<string> = []
  let answer: (result: unknown) => void = () => {}
  let refuse: (error: Error) => void = () => {}
  child.on("message", (message: Told) => {
    if ("ended" in message) delays_ms.push(message.ended)
    else if ("failed" in message) failures.push(message.failed)
    else answer(message.result)
  })
  child.once("exit", (code) => refuse(new Error(`the client ${settings.name} has ended with ${code}`)))
  child.once("error", (error) => refuse(error))

  const answered = () =>
    new Promise<unknown>((resolve, reject) => {
      answer = resolve
      refuse = reject
    })
  const ask = (message: object) => {
    const result = answered()
    child.send(message)
    return result
  }

  await answered()
  return {
    call: (work, concurrency, duration_ms) => ask({ work, concurrency, duration_ms }) as Promise<Called>,
    wait: async (ids) => void (await ask({ wait: ids })),
    memory: () => ask({ memory: true }) as Promise<Memory>,
    delays_ms,
    failures,
    stop: () => {
      child.kill("SIGKILL")
      return gone
    }
  }
}
