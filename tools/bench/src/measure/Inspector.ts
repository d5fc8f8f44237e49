import type { Command } from "./Pinning.ts"

/** A Node program that can be told from outside to collect its garbage. */
interface Inspected {
  /** The same command with the inspector. */
  readonly inspect: (command: Command) => Command
  /** Has it collect all that it can, once it runs. */
  readonly collect: () => Promise<void>
  /** The memory of its objects that a collection leaves. */
  readonly heapAfterCollection_MB: () => Promise<number>
}

const addressOf = async (port: number): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await answer.json()) as ReadonlyArray<{ readonly webSocketDebuggerUrl: string }>
  if (target === undefined) throw new Error(`Nothing to inspect on port ${port}`)
  return target.webSocketDebuggerUrl
}

/** Asks the inspector on a port one thing after the other; gives the last answer. */
const ask = async (port: number, calls: ReadonlyArray<object>): Promise<string> => {
  const socket = new WebSocket(await addressOf(port))
  try {
    return await new Promise<string>((resolve, reject) => {
      const left = [...calls]
      const next = () => socket.send(JSON.stringify({ id: left.length, ...left.shift() }))
      socket.addEventListener("error", () => reject(new Error(`The inspector on port ${port} hung up`)))
      socket.addEventListener("open", next)
      socket.addEventListener("message", ({ data }) => (left.length === 0 ? resolve(String(data)) : next()))
    })
  } finally {
    socket.close()
  }
}

const collectGarbage = { method: "HeapProfiler.collectGarbage" }

/** Node's inspector on a port. */
export const inspected = (port: number): Inspected => ({
  inspect: ({ args, file }) => ({ file, args: [`--inspect=127.0.0.1:${port}`, ...args] }),
  collect: async () => void (await ask(port, [collectGarbage])),
  heapAfterCollection_MB: async () => {
    const answer = await ask(port, [collectGarbage, { method: "Runtime.getHeapUsage" }])
    const { result } = JSON.parse(answer) as { readonly result: { readonly usedSize: number } }
    return result.usedSize / 2 ** 20
  }
})
