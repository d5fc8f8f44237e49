import type { Command } from "./Pinning.ts"

/** A Node program that can be told from outside to collect its garbage. */
export interface Inspected {
  readonly command: Command
  /** Has it collect all that it can, once it runs. */
  readonly collect: () => Promise<void>
}

const addressOf = async (port: number): Promise<string> => {
  const answer = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await answer.json()) as ReadonlyArray<{ readonly webSocketDebuggerUrl: string }>
  if (target === undefined) throw new Error(`Nothing to inspect on port ${port}`)
  return target.webSocketDebuggerUrl
}

/** The same command with Node's inspector on a port. */
export const inspected = ({ args, file }: Command, port: number): Inspected => ({
  command: { file, args: [`--inspect=127.0.0.1:${port}`, ...args] },
  collect: async () => {
    const socket = new WebSocket(await addressOf(port))
    try {
      await new Promise<void>((resolve, reject) => {
        socket.addEventListener("error", () => reject(new Error(`The inspector on port ${port} hung up`)))
        socket.addEventListener("open", () =>
          socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }))
        )
        socket.addEventListener("message", () => resolve())
      })
    } finally {
      socket.close()
    }
  }
})
