import { connect } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import * as Socket from "effect/socket/Socket"
import type { Command } from "./Pinning.ts"

/** A Node program with an inspector, which collects garbage on request. */
interface Inspected {
  /** The same command with the inspector. */
  readonly inspect: (command: Command) => Command
  /** Collects all garbage. */
  readonly collect: () => Promise<void>
  /** Returns the size of the heap after a collection. */
  readonly heapAfterCollection_MB: () => Promise<number>
}

const addressOf = async (port: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await response.json()) as ReadonlyArray<{ readonly webSocketDebuggerUrl: string }>
  if (target === undefined) throw new Error(`Nothing to inspect on port ${port}`)
  return target.webSocketDebuggerUrl
}

/** Collects garbage and returns the number of bytes of heap in use. */
const collect = (port: number): Promise<number> =>
  Effect.gen(function* () {
    const { send } = yield* connect(yield* Effect.promise(() => addressOf(port)))
    yield* send("HeapProfiler.collectGarbage")
    return Number((yield* send("Runtime.getHeapUsage"))["usedSize"])
  }).pipe(Effect.scoped, Effect.provide(Socket.layerWebSocketConstructorGlobal), Effect.runPromise)

/** Node's inspector on a port. */
export const inspected = (port: number): Inspected => ({
  inspect: ({ args, file }) => ({ file, args: [`--inspect=127.0.0.1:${port}`, ...args] }),
  collect: async () => void (await collect(port)),
  heapAfterCollection_MB: async () => (await collect(port)) / 2 ** 20
})
