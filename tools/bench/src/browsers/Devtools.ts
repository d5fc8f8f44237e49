import { overSocket } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { connect as connectSocket, type Socket } from "node:net"
import { join } from "node:path"
import { WebSocket } from "ws"
import { descendantsOf } from "../measure/Processes.ts"

const below = (root: string): ReadonlyArray<string> =>
  existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : []

/** The folders of the pools that a server has below its temporary folder. */
export const pools = (temporary: string): ReadonlyArray<string> =>
  below(temporary)
    .filter((name) => name.includes("webagent-browsers-"))
    .flatMap(below)

/** The process that a file names; one that does not exist when the file has just gone. */
const pidIn = (file: string): number => {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0])
  } catch {
    return -1
  }
}

/** The first process of each browser that runs or waits, by its folder. */
export const browsers = (temporary: string): ReadonlyMap<string, number> =>
  new Map(
    pools(temporary)
      .flatMap(below)
      .filter((name) => name.endsWith(".pid"))
      .flatMap((name) => {
        const pid = pidIn(name)
        return existsSync(`/proc/${pid}`) ? [[name.slice(0, -".pid".length), pid] as const] : []
      })
  )

/** A browser's DevTools, without the server. */
export interface DevTools {
  readonly path: string
  /** Opens a socket to them, in whatever network they are. */
  readonly dial: () => Promise<Socket>
}

/** Connects in the network that it is started in, and hands the socket over. */
const dialer = `
process.once("message", ({ port }) => {
  const socket = require("node:net").connect({ host: "127.0.0.1", port }, () => process.send({}, socket))
})
`

/** Runs in the network of a process. */
const inNetworkOf = (pid: number): ChildProcess => {
  const user = process.getuid?.() === 0 ? [] : [`--user=/proc/${pid}/ns/user`, "--preserve-credentials"]
  return spawn("nsenter", [...user, `--net=/proc/${pid}/ns/net`, process.execPath, "--eval", dialer], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
}

/** The DevTools of the browser with this folder and first process. */
export const devToolsIn = (folder: string, pid: number): DevTools => {
  const [port = "", path = ""] = readFileSync(join(folder, "profile", "DevToolsActivePort"), "utf8").split("\n")
  const [inside] = [...descendantsOf(pid)].find(([, { parent }]) => parent === pid) ?? [pid]
  const networkOf = (of: number | "self") => readlinkSync(`/proc/${of}/ns/net`)
  const isHere = networkOf(inside) === networkOf("self")
  return {
    path,
    dial: async () => {
      if (isHere) {
        const socket = connectSocket({ host: "127.0.0.1", port: Number(port) })
        await once(socket, "connect")
        return socket
      }
      const child = inNetworkOf(inside)
      const handedOver = once(child, "message")
      child.send({ port: Number(port) })
      const [, socket] = await handedOver
      child.kill()
      return socket
    }
  }
}

/** A CDP connection. */
export interface Client {
  readonly call: (method: string, params?: object, sessionId?: string) => Promise<Readonly<Record<string, unknown>>>
  readonly close: () => void
  /** Drops the connection without a close frame, as a killed client does. */
  readonly cut: () => void
}

/** Connects to DevTools. A call without a response before the connection closes returns an empty result. */
export const connect = async (address: string, over?: Socket): Promise<Client> => {
  const socket = new WebSocket(address, {
    perMessageDeflate: false,
    maxPayload: 2 ** 28,
    skipUTF8Validation: true,
    ...(over === undefined ? {} : { createConnection: () => over })
  })
  await once(socket, "open")
  const client = overSocket(socket)
  return {
    call: (method, params = {}, sessionId = undefined) => {
      const { send } = sessionId === undefined ? client : client.session(sessionId)
      return Effect.runPromise(Effect.orElseSucceed(send(method, { ...params }), () => ({})))
    },
    close: () => socket.close(),
    cut: () => socket.terminate()
  }
}

/** A session with the first page. */
export const attach = async ({ call }: Client): Promise<string> => {
  const { targetInfos } = await call("Target.getTargets")
  const page = (targetInfos as ReadonlyArray<{ readonly type: string; readonly targetId: string }>).find(
    ({ type }) => type === "page"
  )
  const { sessionId } = await call("Target.attachToTarget", { targetId: page?.targetId, flatten: true })
  return String(sessionId)
}

/** Memory of a process and all that it started, each shared page for its share, in MiB. */
export const memory_MiB = (root: number): number =>
  [root, ...descendantsOf(root).keys()].reduce((sum, pid) => {
    try {
      return sum + Number(/^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1] ?? 0) / 1024
    } catch {
      // it has ended
      return sum
    }
  }, 0)
